/*
 * 4.3  Every step inside an atomic sequence is a line of the trail, a d_step is one, a rendezvous
 * is two, -end- is one. Here these are 3 + 1 + 2 + 1, then the condition and the assertion.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 1, first "assertion violated" after 9, shortest 9
 */
chan c = [0] of { byte };
byte x;

active proctype P() {
	atomic { x = 1; x = 2; x = 3 };
	d_step { x = 4; x = 5; x = 6 };
	c!1;
	_nr_pr == 1;
	assert(false)
}
active proctype Q() { c?1 }
