/*
 * 2.14  Parameters are cut to their types.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
proctype P(byte b; bit c; short s) {
	assert(b == 44 && c == 1 && s == -1)
}

init { run P(300, 3, 65535) }
