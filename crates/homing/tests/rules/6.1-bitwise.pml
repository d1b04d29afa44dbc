/*
 * 6.1  The bitwise operators work on 32 bits; comparison and logical ones give 0 or 1.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
byte b = 6;

init {
	assert((b & 3) == 2 && (b | 9) == 15 && (b ^ 5) == 3 && ~b == -7);
	assert((b > 5) + (b == 6) + !b == 2);
	assert(-b == -6 && !(!b) == 1)
}
