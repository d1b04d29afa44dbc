/*
 * 6.5  Channels that a process declares are created with it, after those that exist.
 *
 * SPIN 6.5.2: refused
 */
chan c = [1] of { byte };
byte seen;

proctype P() {
	chan own[2] = [1] of { byte };
	assert(own[0] == seen + 2 && own[1] == seen + 3);
	seen = own[1] - 1;
	end: false
}

init {
	run P();
	seen > 0;
	run P()
}
