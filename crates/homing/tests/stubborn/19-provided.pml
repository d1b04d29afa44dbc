/* Cleared by another process while this one is in the middle of an atomic run. */
bool flag = true;
byte x;
active proctype P() provided (flag) { byte l; atomic { l = 1; x = 1; l = 2; x = 2 } assert(x == 2) }
active proctype Q() { flag = false; assert(x != 1); flag = true }
