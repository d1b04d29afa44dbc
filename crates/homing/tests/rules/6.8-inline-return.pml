/*
 * 6.8  An inline may return a value: x = f(..) assigns it.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
byte x, y;

inline sum(a, b) {
	y = a;
	return y + b
}

init {
	x = sum(2, 3);
	assert(x == 5)
}
