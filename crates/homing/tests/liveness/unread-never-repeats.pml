// The counter is never read, and has the same value again only after 65536 rounds: the cycle is that of the rest.
// expect p: violated acceptance-cycle
// expect q: holds
// expect r: violated acceptance-cycle
// expect s: holds
short n; bit x; byte y;
active proctype P() { do :: x = 1; n++; x = 0 od }
ltl p { <> [] (x == 1) }
ltl q { [] <> (x == 0) }
ltl r { [] (n < 40 || x == 0 || <> (y == 1)) }
ltl s { [] (y == 0) }
