// expect: violated invariant
// options: --property invariant:x==0
byte x;
active proctype P() { x = 1; x = 0 }
