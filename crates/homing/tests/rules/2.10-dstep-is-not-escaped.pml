/*
 * 2.10  A d_step has the escape in front of it, but not inside.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
byte x;

init {
	{ d_step { x = 1; x = 2; x = 3 }; x = 4 } unless { x == 2 || x == 3; x = 10 };
	assert(x == 10)
}
