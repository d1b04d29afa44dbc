// expect: violated assertion
byte x;
active proctype P() { byte l; l = 1; x = 1; end: d_step { l == 1; assert(false) } }
