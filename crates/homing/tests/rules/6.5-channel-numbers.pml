/*
 * 6.5  A chan variable is the number of the channel, counted from 1 in order of creation; 0 is
 * none.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
chan c = [1] of { byte };
chan d[2] = [1] of { byte };
chan e;

init {
	chan f = [1] of { byte };
	assert(c == 1 && d[0] == 2 && d[1] == 3 && e == 0 && f == 4);
	e = d[1];
	e!5;
	assert(len(d[1]) == 1)
}
