/*
 * 2.3  A selection at the head of a d_step with no guard that counts is always executable.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte x;

init {
	d_step {
		if
		:: x = 1
		:: x = 2
		fi
	};
	assert(x == 1)
}
