/* The step of the set fails, the others lead to a deadlock. */
chan c = [1] of { byte };
active proctype P() { byte l; l = 1; assert(l == 0) }
active proctype Q() { byte l; c?l }
active proctype R() { c!1; c!2; c!3 }
