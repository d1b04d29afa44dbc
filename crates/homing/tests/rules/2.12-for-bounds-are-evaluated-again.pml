/*
 * 2.12  The bounds of for may be expressions, and the upper one is evaluated in every test.
 *
 * SPIN 6.5.2: states 15, transitions 15, errors 0
 */
byte i, n = 2;

init {
	for (i : n - 1 .. n) {
		if
		:: i == 2 && n == 2 -> n = 3
		:: else
		fi
	};
	assert(i == 4)
}
