// expect: violated assertion
byte x;
active proctype P() { byte l; x = 1; L: l = 1; end: x == 2 }
active proctype Q() { assert(!(P@L)) }
