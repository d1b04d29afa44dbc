/*
 * 2.1  An option that begins with a constant false is taken out. The rest of it is never reached,
 * and a selection with no option left blocks for good.
 *
 * SPIN 6.5.2: states 2, transitions 2, errors 1, first "invalid end state" after 1, shortest 1
 */
byte x;

init {
	if
	:: false -> x = 1
	:: 0 -> x = 2
	:: x = 3
	fi;
	if
	:: false -> x = 4
	fi
}
