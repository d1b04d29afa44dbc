/*
 * 2.1  A goto that leaves an atomic sequence is a step of its own, unmarked. The sender stands in
 * front of it after the handshake, and the trail counts it.
 *
 * SPIN 6.5.2: states 10, transitions 13, errors 2, first "assertion violated" after 7, shortest 6
 */
chan c = [0] of { byte };
byte x;

active proctype Sender() {
	atomic { skip; c!1; goto L };
	x = 9;
L:	x = 1;
	assert(false)
}
active proctype Receiver() { c?_ }
