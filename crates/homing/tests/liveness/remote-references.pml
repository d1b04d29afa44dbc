// expect p: holds
// expect q: violated acceptance-cycle
byte n;
active proctype P() { byte l; do :: l = (l + 1) % 3; n = l od }
ltl p { [] (P:l < 3) }
ltl q { <> [] (P:l == 1) }
