// SPIN numbers process types, claims and traces in the order of the source: this claim is number 0, not the last one.
// expect acceptance: violated claim-end
byte x;
never { do :: x == 2 -> break :: else od }
active proctype P() { x = 1; x = 2; x = 3 }
