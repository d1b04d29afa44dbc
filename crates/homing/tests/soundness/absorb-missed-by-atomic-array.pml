// expect: violated assertion length=4
// The same with an array of channels, one of which has a buffer in another model.
byte x, go, i; chan c[2] = [0] of { byte };
active proctype R() { byte l; go = 1; l = 1; atomic { c[1]?_; x = 0 } }
active proctype P() { atomic { go == 1; x = 1; c[1 - i]!1 } }
active proctype Q() { assert(x == 0); i = 0 }
