// expect: violated assertion length=3
// One element of the array is written after another one, which is read later: the array is not dead in between.
active proctype P() { byte a[2]; a[0] = 1; a[1] = 2; assert(a[0] == 0) }
