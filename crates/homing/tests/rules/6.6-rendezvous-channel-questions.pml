/*
 * 6.6  Of a rendezvous channel len is 0, empty and nfull are true, full and nempty false.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
chan c = [0] of { byte };
byte x;

init {
	assert(len(c) == 0);
	empty(c);
	nfull(c);
	if
	:: full(c) -> assert(false)
	:: nempty(c) -> assert(false)
	:: x = 1
	fi
}
