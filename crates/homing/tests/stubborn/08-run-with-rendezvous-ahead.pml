/* The atomic run with a rendezvous inside lies two steps ahead. */
chan r = [0] of { byte };
byte x, y;
active proctype P() { byte l; l = 1; l = 2; atomic { x = 1; r!0; y = 1 } }
active proctype Q() { byte l; l = 3; r?l }
active proctype observer() { x == 1; assert(y == 1 || y == 0); y == 0; assert(x == 0) }
