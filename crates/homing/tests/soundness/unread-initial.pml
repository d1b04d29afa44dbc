// expect: violated assertion
byte g;
proctype B() { byte l = g; assert(l == 0) }
init { g = 1; run B() }
