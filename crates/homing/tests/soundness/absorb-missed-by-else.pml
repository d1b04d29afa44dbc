// expect: violated assertion
byte go; chan c = [0] of { byte };
active proctype R() { byte l; go = 1; l = 1; end: c?_ }
active proctype P() { go == 1; if :: c!1 :: else -> assert(false) fi }
