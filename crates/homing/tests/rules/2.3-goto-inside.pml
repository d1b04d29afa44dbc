/*
 * 2.3  A goto within a d_step is fine.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte x;

init {
	d_step {
		x = 1;
		if
		:: x == 1 -> goto L
		:: else
		fi;
		x = 9;
L:		x = x + 1
	};
	assert(x == 2)
}
