// expect fair: violated acceptance-cycle
// expect response: holds
// Three private loops; the formula reads what one of them writes.
byte a, b, c;
active proctype A() { do :: a = 1; a = 0 od }
active proctype B() { do :: b = 1; b = 0 od }
active proctype C() { do :: c = 1; c = 0 od }
ltl fair { [] <> (a == 1 && b == 1) }
ltl response { [] (a == 1 -> a < 2) }
