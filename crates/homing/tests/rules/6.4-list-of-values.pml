/*
 * 6.4  A list sets the elements in order.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte a[3] = { 1, 2, 3 };

init {
	short b[2] = { 300, 301 };
	assert(a[0] == 1 && a[1] == 2 && a[2] == 3);
	assert(b[0] == 300 && b[1] == 301)
}
