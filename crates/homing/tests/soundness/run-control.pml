// expect: violated assertion
chan c = [0] of { byte };
byte x, y;

active proctype Q() {
  atomic {
    skip;
    end: do
    :: c?_
    :: x == 1 -> y = 1; break
    :: x == 1 -> break
    od
  };
  assert(y == 0)
}

active proctype P() {
  atomic {
    x = 1;
    do
    :: c!1
    :: break
    od;
    x = 0
  }
}
