/*
 * 6.3  Of which mtype the constants are that are assigned to fields is not looked at; their
 * initial values are looked at.
 *
 * SPIN 6.5.2: states 12, transitions 12, errors 0
 */
mtype = { A, B };
mtype : f = { C, D };
mtype : g = { E, F };
typedef T { mtype : f k = D; mtype m = A; byte q };
T t[2];
chan c = [1] of { mtype : f };

init {
	assert(t[0].k == D && t[0].m == A);
	t[0].k = B;
	assert(t[0].k == B);
	t[1].k = E;
	t[0].m = D;
	t[0].q = A;
	t[1].q = C;
	c!t[0].k;
	c?t[1].m;
	assert(t[1].m == B)
}
