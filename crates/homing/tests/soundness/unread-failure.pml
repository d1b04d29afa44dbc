// expect: violated runtime-error
byte x, y, a[2];
active proctype P() { x = 5; y = a[x] }
