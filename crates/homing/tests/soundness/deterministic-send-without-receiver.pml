// expect: violated runtime-error
// A send over a rendezvous channel is a second executable option although no process receives, as in pan.
chan r = [0] of { byte };
active D_proctype A() { byte l; if :: l == 0 :: r!1 fi }
