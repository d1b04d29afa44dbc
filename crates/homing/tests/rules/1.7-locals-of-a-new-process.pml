/*
 * 1.7  Locals that have not been set are 0, whatever stood in their place. The second process gets
 * the pid and the memory of the first, which left a 7 there.
 *
 * SPIN 6.5.2: states 13, transitions 13, errors 0
 */
proctype P(byte first) {
	byte x;
	assert(x == 0);
	if
	:: first == 1 -> x = 7
	:: first == 0 -> x = 0
	fi
}

init {
	run P(1);
	_nr_pr == 1;
	run P(0)
}
