// expect acceptance: violated acceptance-cycle length=11
// expect acceptance --fairness weak: violated acceptance-cycle
// The claim sees `timeout` where no other statement of the model is executable: every third step of P.
byte x;
active proctype P() { do :: x < 2 -> x++ :: timeout -> x = 0 od }
never {
T0:	do :: timeout -> goto accept :: true od;
accept:	do :: !timeout -> goto wait od;
wait:	do :: timeout -> goto accept :: !timeout od
}
