/* A sorted send in front of the head, a scan beside a send, and a channel variable that is reassigned. */
chan c = [3] of { byte }; chan d = [3] of { byte };
chan k = [0] of { byte };
active proctype P() { byte l; c!!2; c?l; assert(l == 2) }
active proctype Q() { c!!0; d!1 }
active proctype R() { d??1; assert(len(c) != 1) }
active proctype S() { chan v; byte l; v = c; l = 1; v = d; v?l; v = c; v?l }
