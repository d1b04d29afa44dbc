/*
 * 6.1  An unsigned variable has at most 31 bits, and so reads as a number that is never negative.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
unsigned u : 31;

init {
	u = -1;
	assert(u == 2147483647);
	u++;
	assert(u == 0)
}
