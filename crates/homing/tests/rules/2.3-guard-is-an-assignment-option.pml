/*
 * 2.3  Of a selection at the head of a d_step only conditions, sends, receives and else count as
 * guards: an option that begins with an assignment does not make the d_step executable. P waits
 * for y although its second option is never blocked.
 *
 * SPIN 6.5.2: states 8, transitions 10, errors 0
 */
byte x, y;

active proctype P() {
	d_step {
		if
		:: y == 1 -> x = 1
		:: x = 2
		fi
	};
	assert(x == 1)
}
active proctype Q() { y = 1 }
