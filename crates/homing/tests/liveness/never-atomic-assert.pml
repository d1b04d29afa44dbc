// An atomic sequence of a claim reads one state.
// expect acceptance: violated assertion length=4
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never { T0: if :: atomic { (x == 2) -> assert(!(x == 2)) } :: (1) -> goto T0 fi }
