/*
 * 2.13  Declaring a name twice in one scope is refused.
 *
 * SPIN 6.5.2: refused "redeclaration of 'y'"
 */
init {
	byte y = 1;
	byte y = 2;
	skip
}
