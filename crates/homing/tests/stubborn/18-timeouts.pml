/* Two timeouts, once with and once without something else to do. */
byte x;
active proctype P() { timeout -> x = 1; assert(x == 1) }
active proctype Q() { timeout -> x = 2; x == 1; assert(false) }
active proctype R() { byte l; do :: l < 3 -> l++ :: else -> break od }
