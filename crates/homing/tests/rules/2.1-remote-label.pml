/*
 * 2.1  P[i]@L is true when process i stands at the control state that L marks. Q waits for just
 * that.
 *
 * SPIN 6.5.2: states 14, transitions 18, errors 2, first "assertion violated" after 5, shortest 3
 */
byte x;

active proctype P() {
	x = 1;
L:	x = 2;
	x = 3
}
active proctype Q() {
	P[0]@L;
	assert(x != 3)
}
