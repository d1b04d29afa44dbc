/*
 * 2.14  The parameters of an active proctype are 0.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
active proctype P(byte b; int i) {
	assert(b == 0 && i == 0)
}
