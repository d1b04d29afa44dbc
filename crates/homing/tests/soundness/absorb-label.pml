// expect: holds states=4
// options: --property safety
// The location with the label is a state of its own, with reductions too: a property may ask for it.
byte x;
active proctype P() { byte l; x = 1; accept: l = 1; x = 2; assert(l == 1 && x == 2) }
