// expect unset: violated claim-end
// expect set: violated acceptance-cycle
// The steps of P alone are an ample set of every state: without the cycle proviso Q would never move.
byte x;
active proctype P() { byte l; do :: l = 1 - l; l = 3 - l; l = l - 2 od }
active proctype Q() { x = 1 }
ltl unset { [] (x == 0) }
ltl set { <> (x == 1) }
