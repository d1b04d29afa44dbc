/*
 * 6.4  The initial values of fields are cut to their types.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
typedef T { byte a = 300; bit b = 2; unsigned u : 3 = 9; short s = 70000; byte n = -1; bool t[2] = 3 };
T g;

init {
	T h;
	skip;
	T i;
	assert(g.a == 44 && g.b == 0 && g.u == 1 && g.s == 4464 && g.n == 255 && g.t[1] == 3);
	assert(h.a == 44 && h.b == 0 && h.u == 1 && h.s == 4464 && h.n == 255 && h.t[1] == 3);
	assert(i.a == 44 && i.b == 0 && i.u == 1 && i.s == 4464 && i.n == 255 && i.t[1] == 3)
}
