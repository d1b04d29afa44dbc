/*
 * 6.6  All constants and evals are compared with the values from before the receive, then the
 * variables are assigned. (Backtracking over this receive pan would put back a wrong message:
 * there is nothing else to do here.)
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
chan c = [1] of { byte, byte };
byte v = 1;

init {
	c!2,1;
	c?v,eval(v);
	assert(v == 2)
}
