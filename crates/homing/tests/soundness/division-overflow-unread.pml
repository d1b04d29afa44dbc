// expect: violated runtime-error
// The quotient is not used, but both operands decide whether there is one.
int x = -2147483647, y, z;
active proctype P() { int l, m; y = -1; l = x - 1; m = y; z = l / m }
