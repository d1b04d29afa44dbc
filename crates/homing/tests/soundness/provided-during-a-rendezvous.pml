// expect: violated invalid-end-state
// While a message is offered its channel is not empty: the clause of the receiver does not hold then, and no receiver is found.
chan r = [0] of { byte };
active proctype A() { if :: r!1 :: r!2 fi }
active proctype B() provided (len(r) == 0) { byte l; r?l }
active [3] proctype Pad() { byte w; do :: w < 6 -> w++ :: else -> break od }
