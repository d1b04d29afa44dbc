/*
 * 6.5  Channels that a process declares are created with it, after those that exist.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 0
 */
chan c = [1] of { byte };
byte last;

proctype P(byte n) {
	chan own[2] = [1] of { byte };
	assert(own[0] == n && own[1] == n + 1);
	last = own[1];
	end: false
}

init {
	run P(2);
	last == 3;
	run P(4)
}
