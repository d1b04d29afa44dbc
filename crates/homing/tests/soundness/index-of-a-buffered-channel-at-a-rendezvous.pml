// expect: violated runtime-error
// A send over a rendezvous channel looks at every receive at which a process waits: the index of `q` is out of range there. The
// escape keeps P itself from the receive. The counters are there for code to be generated first.
chan r = [0] of { byte };
chan q[2] = [1] of { byte };
byte g1, g2, g3;
active proctype A() { do :: g1 < 20 -> g1++ :: else -> break od }
active proctype B() { do :: g2 < 20 -> g2++ :: else -> break od }
active proctype C() { do :: g3 < 20 -> g3++ :: else -> break od }
active proctype P() { byte i; (g1 == 20 && g2 == 20 && g3 == 20); { i = 2; q[i]?1 } unless { i == 2 } }
active proctype Q() { end: r!1 }
