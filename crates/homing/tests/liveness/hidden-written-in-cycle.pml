// A hidden variable that is only written differs from round to round, and the cycle closes all the same.
// expect acceptance: violated acceptance-cycle
// expect a: violated acceptance-cycle
hidden byte h; byte x;
active proctype P() { x = 1; accept: do :: h = 1 :: h = 2 :: h = x od }
ltl a { <>[](x == 5) }
