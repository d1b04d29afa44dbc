/*
 * 2.1  else is a step, and `else -> skip` is two. The two selections differ by one state.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
byte x;

init {
	if
	:: x == 1
	:: else
	fi;
	if
	:: x == 1
	:: else -> skip
	fi
}
