/*
 * 2.3  An atomic sequence inside a d_step is ignored.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte x;

init {
	d_step { x = 1; atomic { x = 2; x = 3 }; x++ };
	assert(x == 4)
}
