/*
 * 2.10  else as an escape is always taken: the escape is tried before the main statement, so
 * nothing was executable yet.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
byte x;

init {
	{ x = 1; x = 2 } unless { else -> x = 10 };
	assert(x == 10)
}
