// expect never_else: violated claim-end
// expect never_seven: violated acceptance-cycle
// A new process waits at r at once, so that `else` is not executable any more: run K() and else do not commute.
chan r = [0] of { byte };
bit v;
proctype K() { do :: r?_ od }
init { run K() }
active proctype U() { do :: r!1 :: else -> v = 1; v = 0 od }
ltl never_else { [] !v }
ltl never_seven { <> v }
