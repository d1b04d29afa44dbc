/*
 * 6.5  A channel in a record that is declared in a loop is created once, with the process.
 *
 * SPIN 6.5.2: states 13, transitions 13, errors 0
 */
typedef T { chan a = [2] of { byte } };
byte n;

init {
	do
	:: n < 2 ->
		T y;
		assert(len(y.a) == n);
		y.a!n;
		n++
	:: else -> break
	od
}
