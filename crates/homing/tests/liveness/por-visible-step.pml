// expect order: violated claim-end
// expect other: violated claim-end
// a = 1 is independent of all that Q does, but the formula sees it: both orders count.
byte a, b;
active proctype P() { a = 1; do :: a == 1 -> skip od }
active proctype Q() { b = 1; do :: b == 1 -> skip od }
ltl order { [] (b == 1 -> a == 1) }
ltl other { [] (a == 1 -> b == 1) }
