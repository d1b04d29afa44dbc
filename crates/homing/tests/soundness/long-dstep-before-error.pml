// expect: violated assertion length=2
// The d_step is cut off after ten million statements. A shorter error may lie after it (it does, of length 2), so the error of length 9 must not be called shortest.
int x; byte y;
active proctype P() { d_step { do :: x < 20000000 -> x++ :: else -> break od }; assert(false) }
active proctype Q() { y = 1; y = 2; y = 3; y = 4; y = 5; y = 6; y = 7; y = 8; assert(y != 8) }
