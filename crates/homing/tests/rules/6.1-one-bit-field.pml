/*
 * 6.1  The field of a message that is a single bit or bool is a byte.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 0
 */
chan c = [1] of { bit };
byte v;

init {
	c!3;
	c?v;
	assert(v == 3);
	c!256;
	c?v;
	assert(v == 0)
}
