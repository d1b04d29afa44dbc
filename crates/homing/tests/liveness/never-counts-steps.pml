// The claim counts statements: x is 1 after exactly three of them.
// expect acceptance: violated claim-end length=3
byte x;
active proctype P() { byte l; l = 1; l = 2; x = 1; x = 2 }
never { (x == 0); (x == 0); (x == 0); (x == 1) }
