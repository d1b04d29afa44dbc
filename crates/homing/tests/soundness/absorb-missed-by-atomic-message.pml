// expect: violated assertion
// The sender got the channel in a message, and sends in an inline.
byte x, go; chan c = [0] of { byte }; chan m = [1] of { chan };
inline give(k) { x = 1; k!1 }
active proctype R() { byte l; m!c; go = 1; l = 1; atomic { c?_; x = 0 } }
active proctype P() { chan k; m?k; atomic { go == 1; give(k) } }
active proctype Q() { assert(x == 0) }
