// The counter is never read, but it is part of the state, as in SPIN: the cycle closes after 256 rounds.
// expect p: violated acceptance-cycle length=768
byte n; bit x;
active proctype P() { do :: x = 1; n++; x = 0 od }
ltl p { <> [] (x == 1) }
