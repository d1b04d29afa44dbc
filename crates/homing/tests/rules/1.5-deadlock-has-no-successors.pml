/*
 * 1.5  A deadlock is one error and the search goes on elsewhere. Each of the two options runs into
 * one of its own.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 2, first "invalid end state" after 1, shortest 1
 */
byte x;

init {
	if
	:: x = 1; x == 2
	:: x = 2; x == 1
	fi
}
