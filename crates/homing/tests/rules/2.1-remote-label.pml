/*
 * 2.1  P[i]@L is true when process i stands at the control state that L marks. Q may wait for ever
 * if it misses that; if it does not, P may still go on before the assertion.
 *
 * SPIN 6.5.2: states 14, transitions 18, errors 1, first "assertion violated" after 5, shortest 5
 */
byte x;

active proctype P() {
	x = 1;
L:	x = 2;
	x = 3
}
active proctype Q() {
	end: P[0]@L;
	assert(x != 3)
}
