/*
 * 6.5  Each process has channels of its own in its records.
 *
 * SPIN 6.5.2: states 41, transitions 66, errors 0
 */
typedef T { chan c = [1] of { byte } };
byte n;

proctype P() {
	skip;
	T t;
	t.c!1;
	t.c?n
}

init {
	run P();
	run P();
	_nr_pr == 1;
	assert(n == 1)
}
