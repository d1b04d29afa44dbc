/*
 * 1.1  Two steps that lead from one state to the same other state are two transitions. The two
 * options are alike; there is one transition more than there are states.
 *
 * SPIN 6.5.2: states 3, transitions 4, errors 0
 */
byte x;

init {
	if
	:: x = 1
	:: x = 1
	fi
}
