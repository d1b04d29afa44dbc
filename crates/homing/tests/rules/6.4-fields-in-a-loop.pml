/*
 * 6.4  The initial values of fields are not set again on each pass of a loop, as those of other
 * variables are.
 *
 * SPIN 6.5.2: states 36, transitions 36, errors 0
 */
typedef T { byte a = 5; byte b };
byte n, i;

init {
	do
	:: n < 3 ->
		T y;
		byte z = 4;
		assert(y.a == 5 + n && z == 4);
		y.a++;
		z++;
		n++
	:: else -> break
	od;
	for (i : 0 .. 1) {
		T v;
		assert(v.a == 5 - i);
		v.a--
	}
}
