// The local is dead: the state is the same before and after the first round, although its value differs.
// expect acceptance: violated acceptance-cycle length=1
active proctype P() { byte l; accept1: do :: l = 2 od }
