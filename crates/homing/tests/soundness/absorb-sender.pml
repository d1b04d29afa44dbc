// expect: violated assertion length=4
byte x; chan c = [0] of { byte };
active proctype P() { byte l; c!1; l = 1; l = 2; end: x == 1 }
active proctype Q() { c?_; x = 2; assert(false) }
