/*
 * 2.1  A label on a goto that is referred to from another process makes the goto two: a skip with
 * the label, which is a step, and the jump.
 *
 * SPIN 6.5.2: states 14, transitions 18, errors 3, first "assertion violated" after 3, shortest 3
 */
byte x;

active proctype P() {
	x = 1;
L:	goto M;
	x = 9;
M:	x = 2
}
active proctype Q() {
	P@L;
	assert(x == 2)
}
