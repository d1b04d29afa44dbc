// The local is read only to compute itself, and the last statement of the cycle without it is an assertion that fails.
// expect progress: violated non-progress-cycle
// expect progress --fairness weak: violated non-progress-cycle
byte x;
active proctype P0() { byte l; do :: l = 1 - l od }
active proctype P1() { do :: assert(x == 1); skip od }
