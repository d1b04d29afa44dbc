/* A rendezvous becomes possible without a process coming: a third sets what is sent. */
chan r = [0] of { byte };
byte x;
active proctype P() { r!x; assert(false) }
active proctype Q() { r?eval(1) }
active proctype R() { byte l; l = 1; x = 1 }
