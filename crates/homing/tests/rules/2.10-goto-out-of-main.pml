/*
 * 2.10  A goto out of the main sequence leaves the escape behind.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
byte x;

init {
	{ x = 1; if :: x == 1 -> x = 2; goto out :: x == 5 -> skip fi; x = 3 } unless { x == 2; x = 10 };
	x = 4;
out:	assert(x == 2)
}
