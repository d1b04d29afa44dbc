/* A private loop for ever beside an error. */
active proctype P() { byte l; do :: l = 1 - l od }
active proctype Q() { byte l; l = 1; l = 2; assert(false) }
