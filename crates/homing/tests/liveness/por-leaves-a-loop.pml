// expect stays: violated acceptance-cycle
// P loops for ever, or leaves the loop and sets y; the run on which it never does and Q moves is kept by the cycle proviso alone.
byte x, y;
active proctype P() { byte l; do :: l < 2 -> l = 1 - l :: l < 2 -> break od; y = 1; do :: l < 2 -> l = 1 - l od }
active proctype Q() { byte k; k = 1; x = 1; do :: k < 3 -> k = 3 - k od }
ltl stays { !(<> [] (x == 1 && y == 0)) }
