// expect a: violated acceptance-cycle
// A hidden variable that nothing reads does not hinder several threads.
hidden byte h; byte x;
active proctype A() { do :: h = 1; x = 1 :: h = 0; x = 0 od }
ltl a { []<>(x == 1) }
