// expect acceptance: violated acceptance-cycle length=3
byte x;
active proctype P() { do :: x = 1; x = 0 od }
never { T0: do :: (x == 1) -> goto accept :: else od; accept: do :: (x == 0) -> goto T0 :: else od }
