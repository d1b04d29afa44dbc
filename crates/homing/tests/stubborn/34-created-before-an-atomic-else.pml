/* As 32; the `else` is inside an atomic run. */
chan r = [0] of { byte };
byte z, v;
proctype K() { do :: r?_ od }
init { run K(); do :: z = 1 - z od }
active proctype U() { do :: atomic { if :: r!1 :: else -> v = 1; assert(v == 0) fi } od }
