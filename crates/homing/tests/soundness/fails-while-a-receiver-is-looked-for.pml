// expect: violated runtime-error
// The send looks at every receive at which a process waits: the index of `q` is out of range there, in the middle of an atomic sequence.
byte g;
chan q[2] = [1] of { byte };
chan r = [0] of { byte };
active proctype P() { end: q[g]?1 }
active proctype R() { atomic { g = 2; r!1; g = 0 } }
active proctype S() { r?1 }
