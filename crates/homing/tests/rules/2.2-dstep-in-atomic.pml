/*
 * 2.2  A d_step inside an atomic sequence is one of its steps and does not end it. The shortest
 * trail is x = 1, the d_step, x = 4 and the assertion.
 *
 * SPIN 6.5.2: states 7, transitions 9, errors 3, first "assertion violated" after 6, shortest 4
 */
byte x;

active proctype P() {
	atomic { x = 1; d_step { x = 2; x = 3 }; x = 4; assert(x != 4) }
}
active proctype Q() { assert(x == 0 || x == 4) }
