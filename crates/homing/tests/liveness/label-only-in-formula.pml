// expect ltl:[]<>P[0]@L: violated acceptance-cycle length=2
// expect ltl:[]<>P[0]@L --fairness weak: holds
// The label is referred to by the formula alone, which the model does not contain.
byte x;
active proctype P() { do :: x = 1; L: x = 0 od }
active proctype Q() { do :: x = 2 od }
