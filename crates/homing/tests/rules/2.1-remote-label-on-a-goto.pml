/*
 * 2.1  A label on a goto that another process refers to becomes a skip with that label, which is a
 * step, and the jump behind it. Q can see P there.
 *
 * SPIN 6.5.2: states 14, transitions 18, errors 2, first "assertion violated" after 3, shortest 3
 */
byte x;

active proctype P() {
	x = 1;
L:	goto M;
	x = 9;
M:	x = 2
}
active proctype Q() {
	end: P@L;
	assert(x == 2)
}
