/*
 * 2.12  A for whose lower bound is above the upper one does not run its body.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
byte i, n = 3;

init {
	for (i : n .. 1) { assert(false) };
	assert(i == 3)
}
