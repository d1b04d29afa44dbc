// expect p: violated claim-end
// P[1] is a process of type Q: the numbers of its locations are compared with that of L.
byte x;
active proctype A() { do :: x = 1 - x od }
active proctype Q() { byte l, m; do :: x == 1 -> l = 1; m = 2; x = 0; l = 3 od }
proctype P() { byte a, b; a = 1; L: b = 2; a = 3; b = 4; a = 5; b = 6 }
ltl p { [] !(P[1]@L) }
