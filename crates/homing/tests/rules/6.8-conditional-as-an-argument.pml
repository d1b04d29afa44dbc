/*
 * 6.8  A conditional expression in its parentheses is an argument like any other.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte x;

inline set(a, b) { x = a + b }

init {
	set((x == 0 -> 1 : 2), 3);
	assert(x == 4)
}
