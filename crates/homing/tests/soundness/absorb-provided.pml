// expect: violated invalid-end-state
// Q takes P's right to move away before the statement that would lead to P's end label.
byte x, go = 1;
active proctype P() provided (go == 1) { byte l; x = 1; l = 1; end: x == 2 }
active proctype Q() { x == 1; go = 0 }
