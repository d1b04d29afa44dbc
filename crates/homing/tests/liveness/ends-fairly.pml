// SPIN's own search with fairness misses this one (its blocked states are never accepting).
// expect p: violated acceptance-cycle length=4
// expect p --fairness weak: violated acceptance-cycle length=4
byte n;
active proctype P() { n = 1 }
active proctype Q() { n = 2 }
ltl p { <> [] (n == 1) }
