/* The index flips before the cell is read: another process writes the cell that is not meant now. */
byte a[2];
active proctype P() { byte k; k = 1; k = 0; k = 1 - k; assert(a[k] == 0) }
active proctype Q() { a[1] = 1 }
active proctype R() { byte k = 1; k = 0; a[k] = 1; assert(a[1] == 1) }
