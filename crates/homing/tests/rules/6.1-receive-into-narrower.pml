/*
 * 6.1  A receive cuts the value to the type of the variable.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
chan c = [1] of { int };
byte b;

init {
	c!300;
	c?b;
	assert(b == 44)
}
