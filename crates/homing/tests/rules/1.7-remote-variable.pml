/*
 * 1.7  P[i]:x is the local variable x of process i. It is read, never written, and adds nothing to
 * the state.
 *
 * SPIN 6.5.2: states 10, transitions 12, errors 1, first "assertion violated" after 4, shortest 4
 */
active proctype P() {
	byte x;
	x = 1;
	x = 2
}
active proctype Q() {
	end: P[0]:x == 1;
	assert(P[0]:x == 1)
}
