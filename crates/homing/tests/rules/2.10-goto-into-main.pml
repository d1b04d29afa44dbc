/*
 * 2.10  A goto into the main sequence comes under its escape.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
byte x;

init {
	x = 1;
	goto in;
	{ x = 2; in: x = 3; x = 4 } unless { x == 3; x = 10 };
	assert(x == 10)
}
