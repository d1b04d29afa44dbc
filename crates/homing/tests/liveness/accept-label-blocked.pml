// A process that waits at an acceptance label for ever, with nothing that moves.
// expect acceptance: violated acceptance-cycle length=1
byte x;
active proctype P() { x = 1; accept: (x == 2) }
