// expect acceptance: holds
// Something can always move.
byte x;
active proctype P() { do :: x < 2 -> x++ :: x == 2 -> x = 0 od }
never {
T0:	do :: timeout -> goto accept :: true od;
accept:	do :: true od
}
