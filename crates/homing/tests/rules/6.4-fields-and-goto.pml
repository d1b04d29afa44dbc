/*
 * 6.4  A jump back over the declaration of a record sets nothing.
 *
 * SPIN 6.5.2: states 15, transitions 15, errors 0
 */
typedef T { byte a = 5 };
byte n;

init {
again:
	n++;
	T y;
	y.a++;
	if
	:: n < 3 -> goto again
	:: else
	fi;
	assert(y.a == 8)
}
