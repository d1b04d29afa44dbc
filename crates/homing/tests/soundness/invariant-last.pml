// expect: violated invariant length=1
// options: --property invariant:_last!=1
// The model does not mention _last, but the invariant does: it is part of the state.
byte g;
active proctype P() { g = 1 }
active proctype Q() { g = 2 }
