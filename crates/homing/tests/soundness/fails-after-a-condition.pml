// expect: violated runtime-error
// The division comes in one step with the condition where it does not fail. L can be reduced away from the others.
byte x, y;
bit gl;
active proctype L() { do :: gl = 1 - gl; assert(gl < 2) od }
active proctype Q() { (x == 1); y = 1 / y }
active proctype R() { x = 1 }
