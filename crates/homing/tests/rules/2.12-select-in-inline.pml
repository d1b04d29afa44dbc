/*
 * 2.12  Inside an inline select is always a loop, also with constant bounds.
 *
 * SPIN 6.5.2: states 15, transitions 15, errors 2, first "assertion violated" after 5, shortest 5
 */
byte v;

inline choose(x) { select(x : 1 .. 3) }

init {
	choose(v);
	assert(v == 1)
}
