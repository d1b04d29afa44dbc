/*
 * 6.4  The initial values of fields count for mtype, plain and named, and for pid.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
mtype = { A, B, C };
mtype : f = { D, E };
typedef T { mtype m = B; mtype : f k = D; pid p = 3 };
T g;

init {
	T h;
	skip;
	T i;
	assert(g.m == B && h.m == B && i.m == B);
	assert(g.k == D && h.k == D && i.k == D);
	assert(g.p == 3 && h.p == 3 && i.p == 3)
}
