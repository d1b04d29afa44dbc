/*
 * 6.4  Records with initial values are sent with them, wherever they are declared.
 *
 * SPIN 6.5.2: states 9, transitions 9, errors 0
 */
typedef T { byte a = 5; byte b = 6 };
chan c = [1] of { T };

init {
	skip;
	T y;
	c!y;
	T z;
	z.a = 0;
	c?z;
	assert(z.a == 5 && z.b == 6)
}
