// expect: violated assertion
// P's second statement is its own, but _last tells that P moved again after Q.
byte x, y;
active proctype P() { byte l; x = 1; l = 1; end: x == 2 }
active proctype Q() { x == 1; y = 1; end: _last == 0; assert(false) }
