/*
 * 2.3  A goto out of a d_step is refused.
 *
 * SPIN 6.5.2: refused
 */
byte x;

init {
	d_step {
		x = 1;
		if
		:: x == 1 -> goto out
		:: x == 2 -> x = 3
		fi
	};
out:	x = 4
}
