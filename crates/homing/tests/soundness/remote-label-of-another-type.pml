// expect: violated assertion
// P[1] is a process of type Q: the numbers of its locations are compared with that of L, so that m = 2 is not absorbed.
byte x;
active proctype A() { x = 1; if :: P[1]@L -> assert(false) :: else fi }
active proctype Q() { byte l, m; x == 1 -> l = 1; m = 2; x = 0; l = 3 }
proctype P() { byte a, b; a = 1; L: b = 2; a = 3 }
