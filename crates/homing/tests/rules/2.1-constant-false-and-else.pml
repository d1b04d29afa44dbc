/*
 * 2.1  Beside an option that is constant false else is executable.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte x;

init {
	if
	:: false -> x = 1
	:: else -> x = 2
	fi
}
