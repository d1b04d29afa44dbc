/* Private steps that enter and leave a label are no longer private. */
active proctype P() { Q[1]@cs; assert(false) }
active proctype Q() { byte l; l = 1; cs: l = 2; l = 3 }
