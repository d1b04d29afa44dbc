/* What a new process does is part of what its creator may do. */
byte x;
proctype child(byte v) { byte l; l = 1; x = v }
active proctype P() { byte l; l = 1; run child(3) }
active proctype Q() { byte l; l = x; l = 2; assert(x == 0) }
