/*
 * 2.3  An unless inside a d_step is ignored: the main sequence is executed.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte x;

init {
	d_step {
		x = 1;
		{ x = 2; x = 3 } unless { x == 2; x = 9 }
	};
	assert(x == 3)
}
