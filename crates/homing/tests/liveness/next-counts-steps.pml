// A formula with X sees every statement: none may be executed in one step with another.
// expect second: violated claim-end length=1
// expect third: holds
byte x;
active proctype P() { byte l; l = 1; l = 2; x = 1 }
ltl second { X (x == 1) }
ltl third { X X X (x == 1) }
