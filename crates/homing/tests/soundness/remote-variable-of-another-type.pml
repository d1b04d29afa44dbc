// expect: violated runtime-error
// Process 0 has another type, with fewer variables than the one that is named.
proctype R(byte k) { byte l = k; l++ }
active proctype A() { byte w; w++ }
active proctype B() { assert(R[0]:l == 6) }
