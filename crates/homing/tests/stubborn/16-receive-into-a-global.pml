/* A receive writes what it binds, also in a pair. */
chan c = [1] of { byte }; chan r = [0] of { byte };
byte x, y;
active proctype P() { c!1; r!1 }
active proctype Q() { c?x; r?y }
active proctype R() { assert(x == 0) }
active proctype S() { byte l; l = 1; assert(y == 0 || x == 1); assert(y == 0) }
