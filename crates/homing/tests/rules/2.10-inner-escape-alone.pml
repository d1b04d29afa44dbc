/*
 * 2.10  When only the inner escape is enabled it is taken, and the outer one watches over its
 * sequence too.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 0
 */
byte x;

init {
	{ { x = 1; x = 2 } unless { x == 1; x = 3; x = 5 } } unless { x == 3; x = 4 };
	assert(x == 4)
}
