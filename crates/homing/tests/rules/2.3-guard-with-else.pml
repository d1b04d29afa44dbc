/*
 * 2.3  A d_step that begins with a selection with else never blocks.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
byte x;

init {
	d_step {
		if
		:: x == 1 -> x = 2
		:: else -> x = 3
		fi
	};
	d_step {
		if
		:: x == 3 -> x = 4
		:: else
		fi
	};
	assert(x == 4)
}
