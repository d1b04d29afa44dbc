// expect: violated assertion
byte go; chan c = [0] of { byte };
active proctype R() { byte l; go = 1; l = 1; end: c?_ }
active proctype P() { { go == 1; assert(false) } unless { c!1 } }
