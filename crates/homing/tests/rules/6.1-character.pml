/*
 * 6.1  A character in quotes is its code.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte x;

init {
	x = 'a';
	assert(x == 97 && '\n' == 10)
}
