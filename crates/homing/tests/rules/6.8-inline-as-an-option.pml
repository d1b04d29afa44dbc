/*
 * 6.8  An inline at the head of an option brings its first statement as the guard.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
byte x;

inline wait(n) { x == n; x = n + 1 }

init {
	do
	:: wait(0)
	:: wait(1)
	:: x == 2 -> break
	od
}
