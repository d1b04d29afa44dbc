// A finite run is enough; it is replayed as one.
// expect p: violated claim-end length=1
// expect q: holds
byte x;
active proctype P() { do :: x = 1 - x od }
ltl p { [] (x == 0) }
ltl q { [] (x < 2) }
