// expect: violated runtime-error length=1
// options: --property invariant:a[x]==0
// The invariant has no value after the first statement; the absorbed one after it does not count.
byte x, g, a[3];
active proctype P() { x = 3; g = 1 }
