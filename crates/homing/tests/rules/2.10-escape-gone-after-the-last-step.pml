/*
 * 2.10  After the last step of the main sequence the escape is gone, although it would now be
 * executable.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
byte x;

init {
	{ x = 1; x = 2 } unless { x == 2; x = 10 };
	assert(x == 2)
}
