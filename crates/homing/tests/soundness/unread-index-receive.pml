// expect: violated runtime-error
byte x, a[2]; chan c = [1] of { byte };
active proctype P() { x = 5; c!1; c?a[x] }
active proctype Q() { end: x == 7 }
