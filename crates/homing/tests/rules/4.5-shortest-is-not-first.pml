/*
 * 4.5  The first error of the search need not be the nearest one. The search goes on incrementing
 * before it tries the second option.
 *
 * SPIN 6.5.2: states 14, transitions 15, errors 2, first "assertion violated" after 11, shortest 4
 */
byte x;

init {
	do
	:: x < 4 -> x++
	:: x == 1 -> assert(false)
	:: x == 4 -> x = 5; assert(false); break
	od
}
