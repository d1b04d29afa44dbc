/*
 * 2.1  A remote reference to a process that does not exist any more is false.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
byte x;

proctype P() { L: skip }

init {
	run P();
	_nr_pr == 1;
	assert(!(P[1]@L))
}
