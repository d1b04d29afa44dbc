/*
 * 6.5  The value of a variable or an expression can be assigned to a channel variable.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
chan c = [1] of { byte };
chan d;
byte x;

init {
	d = x + 1;
	d!5;
	assert(len(c) == 1)
}
