/*
 * 6.8  An inline may use another one.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
byte x;

inline inc(a) { a++ }
inline twice(b) { inc(b); inc(b) }

init {
	twice(x);
	assert(x == 2)
}
