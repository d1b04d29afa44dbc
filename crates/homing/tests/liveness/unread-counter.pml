// The counter is never read, but it is part of the state: the cycle closes after 256 rounds in SPIN. It is none of the formula's business.
// expect p: violated acceptance-cycle
byte n; bit x;
active proctype P() { do :: x = 1; n++; x = 0 od }
ltl p { <> [] (x == 1) }
