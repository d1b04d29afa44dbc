/*
 * 6.1  Shifting a negative number to the right keeps the sign.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
short a = -5;
byte n = 1;

init {
	assert(a >> n == -3);
	assert(a << 2 == -20);
	assert((1 << n) << 30 == -2147483647 - 1)
}
