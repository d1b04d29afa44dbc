/*
 * 2.12  for (i : a .. b) is i = a, then a loop of the test, the body and i++, left by else;
 * afterwards i is b + 1.
 *
 * SPIN 6.5.2: states 14, transitions 14, errors 0
 */
byte i, sum;

init {
	for (i : 1 .. 3) {
		sum = sum + i
	};
	assert(i == 4 && sum == 6)
}
