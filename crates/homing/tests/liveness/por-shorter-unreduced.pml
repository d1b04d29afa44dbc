// expect unset: violated claim-end length=1
// P and Q come first in the reduced graph: a path found there need not be a shortest one.
byte x, a, b;
active proctype P() { a = 1; a = 2; a = 3; (a == 9) }
active proctype Q() { b = 1; b = 2; b = 3; (b == 9) }
active proctype R() { x = 1; (x == 9) }
ltl unset { [] !x }
