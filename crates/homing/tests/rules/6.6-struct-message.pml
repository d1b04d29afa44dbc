/*
 * 6.6  A message of a typedef is the list of its fields.
 *
 * SPIN 6.5.2: states 9, transitions 9, errors 0
 */
typedef Inner { byte a; byte b[2] };
typedef T { Inner i; short s };
chan c = [1] of { byte, T };

init {
	T x, y;
	byte n;
	x.i.a = 1; x.i.b[0] = 2; x.i.b[1] = 3; x.s = -4;
	c!9,x;
	c?n,y;
	assert(n == 9 && y.i.a == 1 && y.i.b[0] == 2 && y.i.b[1] == 3 && y.s == -4)
}
