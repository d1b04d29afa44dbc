// expect: violated assertion length=4
byte x, go; chan c = [0] of { byte };
active proctype R() { byte l; go = 1; l = 1; atomic { c?_; x = 0 } }
active proctype P() { atomic { go == 1; x = 1; c!1 }; x = 2; x = 0; x = 2; x = 0; x = 2; assert(x != 2) }
active proctype Q() { assert(x != 1) }
