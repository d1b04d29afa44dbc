/*
 * 2.3  A goto to the beginning of a d_step is refused.
 *
 * SPIN 6.5.2: refused "jump into d_step sequence"
 */
byte x;

init {
	if
	:: x == 0 -> goto L
	:: x == 1
	fi;
	x = 1;
L:	d_step { x = 2; x = 3 }
}
