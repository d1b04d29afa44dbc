// expect: violated runtime-error
// The value is not used, but the index is out of range.
byte x, a[2];
active proctype P() { byte l; l = 5; x = 1; printf("%d\n", a[l]); x = a[0] }
