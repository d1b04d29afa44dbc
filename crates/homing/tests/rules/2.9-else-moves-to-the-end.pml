/*
 * 2.9  else is moved to the end of its own selection wherever it is written.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
byte x;

init {
	if
	:: else -> x = 1
	:: x == 0 -> x = 2
	fi;
	assert(x == 2)
}
