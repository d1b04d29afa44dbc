// expect: violated invalid-end-state length=0
byte x;
active proctype P() { x == 1 }
