/*
 * 2.12  A for loop inside an inline works on the variable that is handed to it.
 *
 * SPIN 6.5.2: states 11, transitions 11, errors 0
 */
byte i, sum;

inline add(v, n) {
	for (v : 1 .. n) { sum = sum + v }
}

init {
	add(i, 2);
	assert(sum == 3 && i == 3)
}
