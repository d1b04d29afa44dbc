/*
 * 6.6  The variables of a receive are assigned from left to right: the index of the second one
 * uses the value just received. (Backtracking over this receive pan would leave a[2] as it is:
 * there is nothing else to do here.)
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
chan c = [1] of { byte, byte };
byte i, a[3];

init {
	c!2,7;
	c?i,a[i];
	assert(a[0] == 0 && a[2] == 7)
}
