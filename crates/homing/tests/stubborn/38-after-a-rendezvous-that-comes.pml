/* The same where the partner comes to the rendezvous first. */
chan r = [0] of { byte };
byte x, y, z;

active proctype T() { y = 1 }
active proctype A() { x == 1; assert(y == 1) }
active proctype R() { byte l; l = 1; r?l; x = 1 }
active proctype S() { z == 1; r!1 }
active proctype U() { z = 1 }
