// expect: holds
// options: --property p
// The index is out of range where i is 0, and is not looked at there.
byte a[2], i;
active proctype P() { i = 1; i = 0 }
ltl p { [] ((i > 0 && a[i - 1] == 0) || i == 0) }
