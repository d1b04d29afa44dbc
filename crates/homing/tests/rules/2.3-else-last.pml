/*
 * 2.3  Inside a d_step else comes last wherever it is written.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte x;

init {
	d_step {
		skip;
		if
		:: else -> x = 1
		:: x == 0 -> x = 2
		fi
	};
	assert(x == 2)
}
