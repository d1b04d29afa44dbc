/*
 * 2.1  A goto whose target lies in the same atomic sequence takes no step. The trail has the
 * guard, the two assignments and the assertion.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 1, first "assertion violated" after 4, shortest 4
 */
byte x;

init {
	atomic {
		x == 0;
		x = 1;
		goto L;
		x = 9;
L:		x = 2;
		assert(false)
	}
}
