// expect: violated assertion
chan c = [0] of { byte };
byte x, y, z, i;
active proctype Q() {
  atomic { z = 1; end: do :: c?_ :: x == 1 -> y = 1; break od };
  assert(y == 0)
}
active proctype P() {
  atomic {
    z == 1; x = 1;
    do :: i < 30 -> i++ :: i == 30 -> break od;
    if :: i == 30 fi; 
    do :: c!1 od
  }
}
