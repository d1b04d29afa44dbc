/*
 * 6.4  The fields of a typedef may have initial values.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
typedef T { byte a = 3; short b[2] = 7; bit c };
T g;

init {
	T l;
	assert(g.a == 3 && g.b[1] == 7 && g.c == 0);
	assert(l.a == 3 && l.b[0] == 7)
}
