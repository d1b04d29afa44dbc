/*
 * 2.9  Beside a rendezvous send else is executable exactly when no partner is ready. The receiver
 * is ready only after its first step: before that the sender takes else, afterwards it shakes
 * hands.
 *
 * SPIN 6.5.2: states 11, transitions 13, errors 0
 */
chan c = [0] of { byte };
byte x;

active proctype Sender() {
	if
	:: c!1 -> x = 1
	:: else -> x = 2
	fi
}
active proctype Receiver() {
	skip;
	end: c?1
}
