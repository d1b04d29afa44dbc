/*
 * 6.1  A number that does not fit into 32 bits is cut to them.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
int x;

init {
	x = 4294967295;
	assert(x == -1);
	x = 2147483648;
	assert(x < 0)
}
