/* The main statement waits for the end of a process; its escape, for a variable that a third sets. */
byte g = 4, x;
active proctype P() { { _nr_pr < 4; x = 1 } unless { g < 2 }; assert(x == 0) }
active proctype Q() { g = 1; do :: g = 1 od }
active [2] proctype R() { skip }
