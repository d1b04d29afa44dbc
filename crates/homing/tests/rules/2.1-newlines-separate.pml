/*
 * 2.1  A newline separates statements like a semicolon, and an arrow is another way to write one.
 *
 * SPIN 6.5.2: states 9, transitions 9, errors 0
 */
byte x

init {
	x = 1
	x = 2
	if
	:: x == 2
		x = 3
	fi
	x == 3 -> x = 4
	assert(x == 4)
}
