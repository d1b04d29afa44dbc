// expect acceptance: unknown
// The same label as in accept-label-ends-atomic.pml, passed as often; pan has no error, for the statement that leads back to its
// stack is another.
byte x;
active proctype B() { do :: atomic { x = 1; accept_b: x = 6 }; x = 0 od }
