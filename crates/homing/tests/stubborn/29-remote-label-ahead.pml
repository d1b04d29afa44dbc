/* The remote reference lies two steps ahead of its process. */
byte x;
active proctype P() { byte l; x = 1; l = x; x = 2; assert(!Q[1]@cs) }
active proctype Q() { byte l; l = 1; cs: l = 2; l = 3 }
