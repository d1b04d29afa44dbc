/*
 * 6.3  The names of an mtype declaration are numbered from the last to the first, starting at 1.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
mtype = { red, green, blue };
byte x;

init {
	x = red;
	assert(x == 3 && green == 2 && blue == 1)
}
