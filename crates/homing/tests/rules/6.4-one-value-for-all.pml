/*
 * 6.4  An array initialised with one value has it in every element.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte a[3] = 4;

init {
	byte b[2] = 5;
	assert(a[0] == 4 && a[1] == 4 && a[2] == 4);
	assert(b[0] == 5 && b[1] == 5)
}
