/*
 * 1.5  A failed assertion is reported, then treated as passed: the search goes on below it. The
 * second error and the states behind the first one show it.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 2, first "assertion violated" after 1, shortest 1
 */
byte x;

init {
	assert(x == 1);
	x = 2;
	assert(x == 1);
	x = 3
}
