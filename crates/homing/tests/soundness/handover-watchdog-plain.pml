// expect: violated assertion
chan c = [0] of { byte };
byte x, y, i;
active proctype Q() {
  atomic { skip; end: do :: c?_ :: x == 1 -> y = 1; break od };
  assert(y == 0)
}
active proctype P() {
  atomic {
    x = 1;
    do :: i < 31 -> i++ :: i == 31 -> break od;
    
    do :: c!1 od
  }
}
