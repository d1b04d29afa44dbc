/*
 * 2.13  A declaration inside a d_step is an assignment there.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte x;

init {
	d_step {
		byte y = 3;
		byte z;
		z = y + 1;
		x = z
	};
	assert(x == 4)
}
