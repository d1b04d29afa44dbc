// expect p: violated acceptance-cycle
// expect q: unknown
// P0 can run through its atomic sequence for ever. That is not a state in which nothing moves: only the loop of P2 violates p. Whether
// the endless run violates q is not decided, because the claim reads no letter inside the sequence.
byte x;
active proctype P0() { atomic { do :: x = 0 od } }
active proctype P2() { do :: x = 1 :: break od }
bit gone;
ltl p { <> gone }
ltl q { []<> (x <= 1) }
