/*
 * 2.13  An initialiser at the start of a body is applied when the process is created, without a
 * step.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
byte x = 1;

init {
	byte a = 3;
	byte b = a + 1;
	assert(a == 3 && b == 4)
}
