// expect: violated assertion length=4
// R waits one statement too early: then P does not lose control at its send, and Q never sees x = 1.
byte x, go; chan c = [0] of { byte };
active proctype R() { byte l; go = 1; l = 1; atomic { c?_; x = 0 } }
active proctype P() { atomic { go == 1; x = 1; c!1 } }
active proctype Q() { assert(x == 0) }
