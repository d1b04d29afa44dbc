// expect: violated assertion length=3
// The send is an error of the trace before the message is received. The receiver was there, by statements that were absorbed.
chan q = [0] of { byte };
trace { q!2 }
active proctype A() { q!1 }
active proctype C() { byte l; if :: l = 1 :: l = 2 fi; l++; q?l }
