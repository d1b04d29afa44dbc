// expect: violated invalid-end-state
byte go, x;
active proctype P() provided (go == 0) { x = 1; x == 1; x = 2 }
active proctype Q() { go = 1 }
