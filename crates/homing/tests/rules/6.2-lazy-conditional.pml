/*
 * 6.2  (c -> a : b) evaluates one of its two branches only.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
byte a[2] = 3;
byte i = 5;

init {
	i = (i < 2 -> a[i] : 9);
	assert(i == 9);
	i = (i == 9 -> i : a[i]);
	assert(i == 9)
}
