// expect meet: violated claim-end
// expect order: violated claim-end
// expect acceptance: violated acceptance-cycle
// P and Q share nothing. That a process comes to a label, or leaves it, is seen by the formula all the same.
active proctype P() { byte l; l = 1; L: l = 2; l = 3; do :: l > 0 -> l = 4 - l; accept: l = 4 - l od }
active proctype Q() { byte k; k = 1; M: k = 2; k = 3; do :: k > 0 -> k = 4 - k od }
ltl meet { [] !(P@L && Q@M) }
ltl order { (!P@L) U Q@M }
