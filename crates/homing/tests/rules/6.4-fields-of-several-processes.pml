/*
 * 6.4  Each process has the initial values of fields of its own, when it is created.
 *
 * SPIN 6.5.2: states 95, transitions 215, errors 0
 */
typedef T { byte a = 5 };

proctype P(byte k) {
	T y;
	assert(y.a == k);
	{
		T u;
		assert(u.a == k);
		u.a = k + 1
	}
}

init {
	atomic {
		run P(5);
		run P(5)
	};
	T w;
	assert(w.a == 5)
}
