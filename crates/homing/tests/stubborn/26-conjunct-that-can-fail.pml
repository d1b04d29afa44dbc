/* A condition is false by its second part while its first becomes a run-time error. */
byte i, x, a[2];
active proctype P() { (a[i] == 0 && x == 1); assert(false) }
active proctype Q() { byte l; l = 1; i = 2 }
active proctype R() { byte l; l = 1; l = 2; x = 0; x = 0 }
