/*
 * 2.1  A label on a goto that nobody refers to adds no step.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte x;

init {
	x = 1;
L:	goto M;
	x = 9;
M:	x = 2
}
