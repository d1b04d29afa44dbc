/* A new process waits at r at once, so that `else` is not executable any more: `run` comes to a rendezvous, now. */
chan r = [0] of { byte };
proctype K() { do :: r?_ od }
init { run K() }
active proctype U() { do :: r!1 :: else -> assert(false) od }
