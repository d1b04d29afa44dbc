/*
 * 2.4  Each sender that finds a partner is a successor of its own; the receiver gets the values of
 * one of them.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 1, first "assertion violated" after 3, shortest 3
 */
chan c = [0] of { byte };

active [2] proctype Sender() { end: c!_pid }
active proctype Receiver() {
	byte v;
	c?v;
	assert(v == 1)
}
