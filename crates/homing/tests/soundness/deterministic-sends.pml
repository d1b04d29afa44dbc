// expect: violated runtime-error
// Two sends that find a receiver are a choice.
chan r = [0] of { byte };
active D_proctype A() { if :: r!1 :: r!2 fi }
active proctype B() { byte l; end: r?l }
