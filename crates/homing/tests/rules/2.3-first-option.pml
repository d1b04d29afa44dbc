/*
 * 2.3  A choice inside a d_step is resolved to the first executable option in textual order. The
 * assertion holds, there is no second way.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte x, y = 1;

init {
	d_step {
		skip;
		if
		:: x == 1 -> y = 2
		:: x == 0 -> y = 3
		:: y == 1 -> y = 4
		fi
	};
	assert(y == 3)
}
