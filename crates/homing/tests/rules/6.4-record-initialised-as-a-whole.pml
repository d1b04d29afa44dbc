/*
 * 6.4  An initial value for a whole record is accepted, and has no effect.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
typedef T { byte a = 5; byte b };
typedef S { T t = 1; T tt[2] = { 3, 4 } };
byte k = 3;
T x = k + 1;
T xx[2] = 255;
S s;

init {
	T y = 9;
	T z[2] = { 1, 2 };
	assert(x.a == 5 && x.b == 0 && xx[1].a == 5 && xx[1].b == 0);
	assert(s.t.a == 5 && s.tt[1].b == 0);
	assert(y.a == 5 && z[1].a == 5 && z[1].b == 0)
}
