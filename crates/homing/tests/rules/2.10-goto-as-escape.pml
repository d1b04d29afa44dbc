/*
 * 2.10  A goto at the head of an escape takes no step, unlike one at the head of an option: the
 * statement at its target is the escape. It is executable at once, so the main sequence does not
 * begin.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
byte x;

init {
	{ x = 1; x = 2 } unless { goto out };
	x = 3;
out:	assert(x == 0)
}
