// expect: violated runtime-error length=2
int x = -2147483647, y = -1, z;
active proctype P() { x = x - 1; z = x / y; z = x % y; assert(z == 0) }
