/*
 * 6.6  A channel keeps the order of its messages, and two processes that send are interleaved.
 *
 * SPIN 6.5.2: states 163, transitions 269, errors 0
 */
chan c = [4] of { byte };

active proctype A() { c!1; c!2 }
active proctype B() { c!3; c!4 }
active proctype C() {
	byte v, last;
	end: do
	:: c?v ->
		assert(!(v == 1 && last == 2) && !(v == 3 && last == 4));
		last = v
	od
}
