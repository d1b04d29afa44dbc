/*
 * 2.13  An initialiser list for an array that is declared behind a statement is refused.
 *
 * SPIN 6.5.2: refused "cannot use an array list initializer here"
 */
byte x;

init {
	x = 1;
	byte a[3] = { 4, 5, 6 };
	assert(a[0] == 4);
	assert(a[1] == 5)
}
