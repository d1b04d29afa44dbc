/*
 * 2.13  A declaration in an inline is an assignment step wherever the inline is used.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
byte x;

inline work(n) {
	byte t = n;
	x = x + t
}

init {
	work(1);
	work(2);
	assert(x == 3)
}
