/*
 * 6.4  The last value of a list that is too short is repeated.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte a[4] = { 1, 2 };

init {
	byte b[3] = { 7 };
	assert(a[0] == 1 && a[1] == 2 && a[2] == 2 && a[3] == 2);
	assert(b[0] == 7 && b[1] == 7 && b[2] == 7)
}
