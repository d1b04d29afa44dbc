/*
 * 6.1  Division goes towards zero and the remainder has the sign of the dividend.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
short a = -7, b = 2;

init {
	assert(a / b == -3 && a % b == -1);
	b = -2;
	assert(a / b == 3 && a % b == -1);
	a = 7;
	assert(a / b == -3 && a % b == 1)
}
