/*
 * 2.10  A break in the escape of a loop leaves the loop around it, not the one it watches over.
 *
 * SPIN 6.5.2: states 11, transitions 11, errors 1, first "assertion violated" after 9, shortest 9
 */
byte x;

init {
	do
	:: x < 9 ->
		do
		:: x < 4 -> x++
		:: x == 4 -> x = 0
		od unless { x == 3; break }
	od;
	assert(x != 3)
}
