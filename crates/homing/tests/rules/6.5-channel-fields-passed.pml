/*
 * 6.5  A rendezvous channel in a record that is declared behind a statement is passed on like any
 * other.
 *
 * SPIN 6.5.2: states 9, transitions 9, errors 0
 */
typedef T { chan a = [0] of { byte } };
chan q = [1] of { chan };
byte n;

active proctype A() {
	skip;
	T y;
	q!y.a;
	y.a!2
}

active proctype B() {
	chan c;
	q?c;
	c?n;
	assert(n == 2)
}
