// expect: violated assertion
// P is not at L yet when x is 1.
byte x;
active proctype P() { byte l; x = 1; l = 1; L: end: x == 2 }
active proctype Q() { if :: x == 1 -> assert(P@L) :: else fi }
