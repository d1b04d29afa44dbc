/* An assertion three steps away beside a private chain of ten. */
byte x;
active proctype P() { byte l; l = 1; l = 2; l = 3; l = 4; l = 5; l = 6; l = 7; l = 8; l = 9; l = 10 }
active proctype Q() { x = 1; x = 2; assert(x == 1) }
