/*
 * 6.7  empty, full, nempty, nfull may stand alone, be assigned, or be combined with && and ||.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 1, first "invalid end state" after 7, shortest 7
 */
chan c = [1] of { byte };
bool x;

init {
	x = full(c);
	assert(!x);
	c!1;
	x = full(c);
	assert(x);
	full(c) && nempty(c);
	empty(c) || full(c);
	nfull(c)
}
