/*
 * 2.7  The pid of a new process is the number of the existing ones, so the pid of a dead process
 * is used again. The second child gets pid 1 like the first.
 *
 * SPIN 6.5.2: states 12, transitions 14, errors 0
 */
byte first, second;

proctype P() { skip }

init {
	first = run P();
	_nr_pr == 1;
	second = run P();
	assert(first == 1 && second == 1)
}
