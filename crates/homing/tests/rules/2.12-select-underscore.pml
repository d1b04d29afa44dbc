/*
 * 2.12  A name with an underscore is not recognised by the lexer's expansion: constant bounds make
 * a loop then.
 *
 * SPIN 6.5.2: states 15, transitions 15, errors 2, first "assertion violated" after 5, shortest 5
 */
byte my_v;

init {
	select(my_v : 1 .. 3);
	assert(my_v == 1)
}
