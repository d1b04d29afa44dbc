/*
 * 6.4  The initial values of fields count in blocks, in the options of a selection and in escapes.
 *
 * SPIN 6.5.2: states 23, transitions 25, errors 0
 */
typedef T { byte a = 5; byte b };
byte n;

init {
	{
		T y;
		assert(y.a == 5);
		y.a = 1
	};
	{
		T y;
		assert(y.a == 5)
	};
	if
	:: T y; n = y.a
	:: T z; n = z.a + 1
	:: n = 1; T w; n = w.a + 2
	fi;
	assert(n >= 5);
	{
		T v;
		n = v.a
	} unless {
		n == 6;
		T u;
		n = u.a
	};
	assert(n == 5)
}
