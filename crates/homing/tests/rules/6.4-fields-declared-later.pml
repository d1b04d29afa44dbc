/*
 * 6.4  The initial values of fields count where the variable is declared behind a statement: they
 * are set when the process is created.
 *
 * SPIN 6.5.2: states 10, transitions 10, errors 0
 */
typedef T {
	byte a = 5;
	bool b = 1;
	unsigned u : 3 = 6;
	short s = -4;
	int i = 70000;
	bit t[2] = 1;
	byte v[3] = { 1, 2 }
};

init {
	skip;
	T g;
	T ga[2];
	assert(g.a == 5 && g.b && g.u == 6 && g.s == -4 && g.i == 70000);
	assert(g.t[0] == 1 && g.t[1] == 1 && g.v[0] == 1 && g.v[1] == 2 && g.v[2] == 2);
	assert(ga[1].a == 5 && ga[1].b && ga[1].u == 6 && ga[1].s == -4 && ga[1].i == 70000);
	assert(ga[1].t[0] == 1 && ga[1].t[1] == 1 && ga[1].v[0] == 1 && ga[1].v[1] == 2 && ga[1].v[2] == 2);
	g.a = 0
}
