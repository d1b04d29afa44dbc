/*
 * 6.2  || does not look at its right side when the left one is true.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte a[2];
byte i = 5, z;

init {
	assert(i >= 2 || a[i] == 7);
	assert(z == 0 || 7 / z == 1)
}
