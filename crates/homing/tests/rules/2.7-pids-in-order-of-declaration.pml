/*
 * 2.7  Pids are given in the order of declaration, to init as to the active processes, then to
 * those that are run. All assertions hold.
 *
 * SPIN 6.5.2: states 40, transitions 93, errors 0
 */
byte child;

active proctype A() { assert(_pid == 0) }
init {
	assert(_pid == 1);
	child = run C()
}
active [2] proctype B() { assert(_pid == 2 || _pid == 3); end: false }
proctype C() { assert(_pid == 4) }
