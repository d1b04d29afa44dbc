/*
 * 2.1  A remote reference to a process that does not exist any more is false.
 *
 * SPIN 6.5.2: refused
 */
byte x;

active proctype Q() {
	_nr_pr == 1;
	assert(!(P[1]@L));
	x = 1
}
active proctype P() { L: skip }
