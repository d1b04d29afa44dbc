// expect acceptance: unknown
// The label is at the last statement of the sequence, where no process is ever seen. pan looks at such a label only when the
// sequence leads back to a state on its stack: it reports a cycle here, but none for accept-label-ends-atomic-open.pml.
byte x;
active proctype B() { do :: atomic { x = 1; accept_b: x = 6 } od }
