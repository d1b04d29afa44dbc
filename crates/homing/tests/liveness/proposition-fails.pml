// A proposition that has no value is a run-time error, as in SPIN.
// expect p: violated runtime-error length=0
chan q; int a;
ltl p { [] ((len(q) < 2) -> (len(q) > 0)) }
init { a = 1 }
