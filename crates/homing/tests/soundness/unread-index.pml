// expect: violated runtime-error
byte x, a[2];
active proctype P() { x = 5; a[x] = 1 }
active proctype Q() { end: x == 7 }
