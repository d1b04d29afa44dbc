// P2 can move again and again, not always: weak fairness lets it starve, strong fairness does not.
// expect p: violated acceptance-cycle length=3
// expect p --fairness weak: violated acceptance-cycle length=3
// expect p --fairness strong: holds
bit s; bit done;
active proctype P1() { do :: atomic { s == 0 -> s = 1 }; s = 0 od }
active proctype P2() { atomic { s == 0 -> s = 1 }; done = 1 }
ltl p { <> done }
