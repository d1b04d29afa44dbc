/*
 * 6.3  A later mtype declaration goes on counting, again from its last name.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
mtype = { a, b };
mtype = { c, d, e };

init {
	byte x = a;
	assert(x == 2 && b == 1 && c == 5 && d == 4 && e == 3)
}
