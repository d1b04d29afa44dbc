/*
 * 2.1  Inside atomic the join behind an inner if is a control state with a step of its own. The
 * sender stands in front of it after the handshake, not in front of the assignment: eight states
 * instead of six.
 *
 * SPIN 6.5.2: states 8, transitions 11, errors 0
 */
chan c = [0] of { byte };
byte x;

active proctype Sender() {
	atomic {
		if
		:: c!1
		:: c!2
		fi
	};
	x = 1
}
active proctype Receiver() { c?_ }
