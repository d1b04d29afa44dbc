// The whole component enables P2; a part of it does not, and is fair: found by splitting the component.
// expect p: violated acceptance-cycle length=2
// expect p --fairness weak: violated acceptance-cycle length=4
// expect p --fairness strong: violated acceptance-cycle
bit x, y, done;
active proctype A() { do :: x = 1; x = 0 od }
active proctype B() { do :: y = 1; y = 0 od }
active proctype P2() { x == 1 && y == 1 -> done = 1 }
ltl p { <> done }
