/*
 * 2.14  run may stand in an assertion: the process is created in that step.
 *
 * SPIN 6.5.2: states 11, transitions 12, errors 0
 */
byte x;

proctype P() { x = 1 }

init {
	assert(run P());
	x = 2
}
