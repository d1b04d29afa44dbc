/*
 * 2.4  A rendezvous channel may be sent over a channel; who receives the name shakes hands on it.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 1, first "assertion violated" after 5, shortest 5
 */
chan c = [0] of { chan };
chan d = [0] of { byte };

active proctype A() { c!d; d!5 }
active proctype B() {
	chan e;
	byte v;
	c?e;
	e?v;
	assert(v != 5)
}
