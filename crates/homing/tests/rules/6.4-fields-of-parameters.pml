/*
 * 6.4  A parameter has the fields that are passed, or zeros in an active process; its type has no
 * say.
 *
 * SPIN 6.5.2: states 17, transitions 24, errors 0
 */
typedef T { byte a = 5; byte b = 3 };

proctype P(T p; byte k) {
	assert(p.a == 1 && p.b == 3 && k == 9);
	T q;
	assert(q.a == 5)
}

active proctype A(T p) {
	assert(p.a == 0 && p.b == 0)
}

init {
	T x;
	x.a = 1;
	run P(x, 9)
}
