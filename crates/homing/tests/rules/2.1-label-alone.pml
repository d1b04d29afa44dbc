/*
 * 2.1  A label with nothing behind it labels a skip, which is a step.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte x;

init {
	x = 1;
	goto L;
	x = 2;
L:
}
