// A run that ends is continued by its last state, also at a deadlock.
// expect p: violated acceptance-cycle length=1
// expect q: holds
byte x;
active proctype P() { x = 1; false }
ltl p { <> (x == 2) }
ltl q { <> [] (x == 1) }
