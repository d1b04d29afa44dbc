/*
 * 2.12  A negative bound is not recognised by the lexer's expansion either: select is a loop.
 *
 * SPIN 6.5.2: states 15, transitions 15, errors 1, first "assertion violated" after 5, shortest 5
 */
short v;

init {
	select(v : -1 .. 1);
	assert(v != 0)
}
