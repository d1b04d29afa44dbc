/*
 * 2.10  When an inner and an outer escape are both enabled the outer one wins.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
byte x;

init {
	{ { x = 1; x = 2 } unless { x == 1; x = 3 } } unless { x == 1; x = 4 };
	assert(x == 4)
}
