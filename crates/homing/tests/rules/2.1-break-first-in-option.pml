/*
 * 2.1  A break that is the first statement of an option is a step; behind another statement it is
 * none. Both ways out of the loop are taken.
 *
 * SPIN 6.5.2: states 4, transitions 5, errors 0
 */
byte x;

init {
	do
	:: break
	:: x == 0 -> break
	od;
	x = 2
}
