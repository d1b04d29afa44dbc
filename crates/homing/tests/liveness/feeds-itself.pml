// The locals are read only to compute themselves: a cycle without them is none of the model.
// expect acceptance: violated acceptance-cycle length=12
// expect progress: holds
active proctype P() {
  byte a, b;
  do
  :: a = (a + 1) % 3;
     if :: b = 2 * a; skip :: b = 2 * a; accept: skip fi;
     progress: b--
  od
}
