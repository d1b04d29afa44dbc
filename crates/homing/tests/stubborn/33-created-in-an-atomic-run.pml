/* As 32, with the creation inside an atomic run, the channel as a parameter, and the receive beside an escape. */
chan r = [0] of { byte };
chan s = [0] of { byte };
byte z, w;
proctype K(chan e) { do :: { e?_ } unless { z == 7 } od }
init { atomic { w = 1; run K(s); run K(r) } do :: w == 1 -> w = 0 :: w == 0 -> w = 1 od }
active proctype U() { do :: r!1 :: else -> assert(false) od }
