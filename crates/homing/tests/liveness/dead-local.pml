// The local is dead, but a part of the state: the cycle closes after its first round.
// expect acceptance: violated acceptance-cycle length=2
active proctype P() { byte l; accept1: do :: l = 2 od }
