/*
 * 2.13  A variable of an inner block with the name of one of the body that is declared above it is
 * refused.
 *
 * SPIN 6.5.2: refused "redeclaration of 'x'"
 */
init {
	byte x = 1;
	{
		byte x = 2;
		assert(x == 2)
	}
}
