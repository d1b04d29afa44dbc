/*
 * 2.13  A declaration inside a loop is executed on each pass: the variable is set again.
 *
 * SPIN 6.5.2: states 13, transitions 13, errors 0
 */
byte x;

init {
	do
	:: x < 2 ->
		byte y;
		assert(y == 0);
		y = 5;
		x++
	:: x == 2 -> break
	od
}
