/*
 * 2.9  The first statement of an atomic sequence counts as the option: else looks at it alone, not
 * at what follows.
 *
 * SPIN 6.5.2: states 2, transitions 2, errors 1, first "invalid end state" after 2, shortest 2
 */
byte x;

init {
	if
	:: atomic { x == 0; x = 1; x == 2 }
	:: else -> x = 3
	fi
}
