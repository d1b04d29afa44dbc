/*
 * 2.10  A d_step as an escape is executable when its guard is, and is one step.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
byte x;

init {
	{ x = 1; x = 2; x = 3 } unless { d_step { x == 2; x = 10; x = 11 } };
	assert(x == 11)
}
