/*
 * 2.3  An assertion inside a d_step fails in the one step, and the rest is executed: one error,
 * and both assignments happen.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 1, first "assertion violated" after 1, shortest 1
 */
byte x;

init {
	d_step { x = 1; assert(x == 2); x = 3 };
	assert(x == 3)
}
