// expect: violated assertion
byte x, y;
active proctype P() { x = 1; y = 1 }
active proctype Q() { assert(!(x == 1 && y == 0)) }
