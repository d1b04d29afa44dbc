/*
 * 2.12  select with constant bounds at most 32 apart is a choice of that many assignments in one
 * step.
 *
 * SPIN 6.5.2: states 13, transitions 13, errors 1, first "assertion violated" after 2, shortest 2
 */
byte v;

init {
	select(v : 3 .. 6);
	assert(v != 5)
}
