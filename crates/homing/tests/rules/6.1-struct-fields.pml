/*
 * 6.1  The fields of a typedef are cut like variables of their own.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
typedef T { bit t; byte b; short s; unsigned u : 2 };
T x;

init {
	x.t = 2; x.b = -2; x.s = 40000; x.u = 7;
	assert(x.t == 0 && x.b == 254 && x.s == -25536 && x.u == 3)
}
