/*
 * 2.12  A for loop inside a d_step is done in the one step.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte i, sum;

init {
	d_step {
		sum = 1;
		for (i : 1 .. 4) { sum = sum + i }
	};
	assert(sum == 11 && i == 5)
}
