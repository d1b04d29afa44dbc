/* A waits for what R does after a rendezvous to which it comes, and for which a partner waits: y = 1 alone would come before the assertion in every run. */
chan r = [0] of { byte };
byte x, y;

active proctype T() { y = 1 }
active proctype A() { x == 1; assert(y == 1) }
active proctype R() { byte l; l = 1; r?l; x = 1 }
active proctype S() { r!1 }
