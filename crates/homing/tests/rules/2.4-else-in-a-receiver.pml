/*
 * 2.4  The else of a process that could receive is executable only when no send is pending; taking
 * it, the receiver misses the handshake.
 *
 * SPIN 6.5.2: states 9, transitions 9, errors 0
 */
chan c = [0] of { byte };

active proctype Sender() { end: c!1 }
active proctype Receiver() {
	byte v;
	if
	:: c?v
	:: else -> v = 5
	fi;
	assert(v == 1 || v == 5)
}
