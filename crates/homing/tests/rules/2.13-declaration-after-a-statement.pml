/*
 * 2.13  A declaration behind a statement is an assignment step there, also without an initialiser.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
byte x;

init {
	x = 1;
	byte y;
	byte z = x + 1;
	assert(y == 0 && z == 2)
}
