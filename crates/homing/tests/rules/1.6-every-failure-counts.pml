/*
 * 1.6  Each time an assertion fails counts as an error, although pan prints equal messages that
 * follow each other only once.
 *
 * SPIN 6.5.2: states 15, transitions 15, errors 4, first "assertion violated" after 2, shortest 2
 */
byte x;

init {
	do
	:: x < 4 -> assert(false); x++
	:: x == 4 -> break
	od
}
