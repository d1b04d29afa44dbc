/*
 * 6.4  The initial values of fields count in records and arrays of records inside of records.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 0
 */
typedef I { byte z = 9; byte w[2] = 4 };
typedef T { I i; I ii[2]; byte a = 5 };
T g;

init {
	T h;
	skip;
	T k[2];
	assert(g.i.z == 9 && g.ii[1].z == 9 && g.ii[1].w[1] == 4 && g.a == 5);
	assert(h.i.z == 9 && h.ii[0].z == 9 && h.ii[1].w[1] == 4 && h.a == 5);
	assert(k[1].i.z == 9 && k[0].ii[1].z == 9 && k[1].ii[1].w[1] == 4 && k[1].a == 5);
	k[1].ii[1].z = 1
}
