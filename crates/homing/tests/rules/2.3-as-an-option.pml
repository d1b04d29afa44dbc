/*
 * 2.3  A d_step as an option of a selection is executable when its guard is; beside it else looks
 * at the guard alone.
 *
 * SPIN 6.5.2: states 9, transitions 9, errors 1, first "assertion violated" after 2, shortest 2
 */
byte x;

init {
	do
	:: d_step { x < 2; x++; assert(x < 2) }
	:: x == 1 -> x = 4
	:: else -> break
	od
}
