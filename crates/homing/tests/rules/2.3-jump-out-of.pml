/*
 * 2.3  A goto out of a d_step is refused.
 *
 * SPIN 6.5.2: refused "non_local jump in d_step sequence"
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
