/*
 * 2.1  The end of a process is a step and a line of the trail. The assertion of init waits for it:
 * its trail has five lines.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 1, first "assertion violated" after 5, shortest 5
 */
proctype P() { skip }

init {
	run P();
	_nr_pr == 1;
	assert(false)
}
