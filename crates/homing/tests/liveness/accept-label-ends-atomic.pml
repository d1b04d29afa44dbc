// expect acceptance: unknown
// The label is at the last statement of the sequence: pan reports a cycle through it, but no process is ever seen there.
byte x;
active proctype B() { do :: atomic { x = 1; accept_b: x = 6 } od }
