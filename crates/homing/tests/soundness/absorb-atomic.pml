// expect: violated assertion
// The own statement begins an atomic sequence: what follows it there is seen.
byte x, y;
active proctype P() { byte l; x = 1; atomic { l = 1; y = 1 } }
active proctype Q() { assert(!(x == 1 && y == 0)) }
