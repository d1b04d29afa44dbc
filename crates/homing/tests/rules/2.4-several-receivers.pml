/*
 * 2.4  Every process that waits at a matching receive is a successor of its own, the highest pid
 * first. The first error is that of the last receiver.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 1, first "assertion violated" after 3, shortest 3
 */
chan c = [0] of { byte };

active proctype Sender() { c!1 }
active [3] proctype Receiver() {
	end: c?1;
	assert(_pid != 3)
}
