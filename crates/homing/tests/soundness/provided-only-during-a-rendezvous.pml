// expect: violated assertion length=3
// The clause holds for a receiver only: the process takes part in a rendezvous, and makes no step of its own.
chan r = [0] of { byte };
active proctype A() { r!1; assert(false) }
active proctype B() provided (full(r)) { byte l; end: r?l }
active [3] proctype Pad() { byte w; do :: w < 6 -> w++ :: else -> break od }
