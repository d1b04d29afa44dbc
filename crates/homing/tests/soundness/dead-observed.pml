// expect: violated assertion
byte x;
active proctype P() { byte l; l = 1; x = 1; end: x == 2 }
active proctype Q() { x == 1; assert(P:l == 0) }
