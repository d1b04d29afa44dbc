// expect: violated runtime-error length=0
// options: --property p
// The index is out of range at the start, and is evaluated first.
byte a[2], i;
active proctype P() { i = 1; i = 0 }
ltl p { [] (a[i - 1] == 0 || i == 0) }
