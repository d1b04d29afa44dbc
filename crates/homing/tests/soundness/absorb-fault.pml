// expect: violated assertion length=3
// The division fails, but not before Q has seen x = 1.
byte x;
active proctype P() { byte l, z; x = 1; l = 1; l = 2; l = 3; l = 4; l = l / z }
active proctype Q() { x == 1; assert(false) }
