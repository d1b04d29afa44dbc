/*
 * 2.10  An escape on the guard of an option draws a complaint, but is accepted: the escape is
 * tried before all options.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
byte x;

init {
	do
	:: x < 2 -> x++
	:: x == 5 unless { x == 1; x = 7 }
	:: x == 7 -> break
	od
}
