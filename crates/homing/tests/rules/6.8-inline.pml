/*
 * 6.8  An inline is replaced by its body, with the texts of the arguments in place of the
 * parameters; it is no step of its own.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
byte x, y;

inline swap(a, b, t) { t = a; a = b; b = t }

init {
	byte h;
	x = 1;
	swap(x, y, h);
	assert(x == 0 && y == 1)
}
