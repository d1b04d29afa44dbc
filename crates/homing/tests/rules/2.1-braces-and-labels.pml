/*
 * 2.1  Braces, labels, fi and od take no step. Three assignments, the guard and -end- make six
 * states.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
byte x;

init {
	{ x = 1; { x = 2 } };
B:	do
	:: x == 2 -> C: D: x = 3; break
	od
}
