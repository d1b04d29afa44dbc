/* The number of processes waits for the end of one that touches nothing; a channel dies with its owner. */
chan m = [1] of { chan };
active proctype P() { _nr_pr == 2; assert(false) }
active proctype Q() { chan k; m?k; if :: k!1 :: _nr_pr < 3 fi }
active proctype R() { chan own = [1] of { byte }; byte l; l = 1; m!own; own?l }
