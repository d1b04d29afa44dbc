/*
 * 2.1  An end, accept or progress label on a goto is put on a skip in front of it: that is a step.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
byte x;

init {
	x = 1;
end:	goto M;
	x = 9;
M:	x = 2
}
