/*
 * 2.13  The step of an array declared behind a statement resets element 0 alone.
 *
 * SPIN 6.5.2: states 15, transitions 15, errors 0
 */
byte x;

init {
	do
	:: x < 2 ->
		byte a[2];
		assert(a[0] == 0 && a[1] == x);
		a[0] = 7;
		a[1] = 1;
		x++
	:: x == 2 -> break
	od
}
