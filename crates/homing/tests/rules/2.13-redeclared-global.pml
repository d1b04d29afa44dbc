/*
 * 2.13  A local variable with the name of a global one that is declared above it is refused, as
 * any redeclaration of a visible name.
 *
 * SPIN 6.5.2: refused "redeclaration of 'x'"
 */
byte x = 1;

init {
	byte x = 2;
	assert(x == 2)
}
