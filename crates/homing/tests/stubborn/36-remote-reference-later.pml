/* Q looks at the location of P, but not in its next step: the steps of P are not private although no variable is shared. */
active proctype Q() { byte l; l = 1; l = 2; assert(!P@there) }
active proctype P() { byte l; l = 1; there: l = 2; l = 3 }
