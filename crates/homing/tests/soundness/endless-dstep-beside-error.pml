// expect: violated assertion length=3
// The d_step never ends in the reduced copy, which does not write x; the search of the model itself cuts it off and finds the error.
int x; byte y;
active proctype P() { d_step { do :: x++ od } }
active proctype Q() { y = 1; y = 2; assert(y != 2) }
