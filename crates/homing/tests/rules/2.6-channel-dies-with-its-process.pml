/*
 * 2.6  A process that ends takes the channels it declared with it. The second process makes a
 * channel with the same number as the first one did, and both runs end in the same state.
 *
 * SPIN 6.5.2: states 15, transitions 15, errors 0
 */
chan shared = [1] of { byte };
byte last;

proctype P(byte n) {
	chan own = [1] of { byte };
	own!n;
	last = own
}

init {
	run P(1);
	_nr_pr == 1;
	assert(last == 2);
	last = 0;
	run P(2);
	_nr_pr == 1;
	assert(last == 2)
}
