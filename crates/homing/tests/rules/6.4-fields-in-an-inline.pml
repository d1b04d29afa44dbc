/*
 * 6.4  The initial values of fields count in each use of an inline, which has a variable of its
 * own.
 *
 * SPIN 6.5.2: states 14, transitions 14, errors 0
 */
typedef T { byte a = 5 };
byte n;

inline work() {
	T q;
	assert(q.a == 5);
	q.a = 2;
	n++
}

init {
	work();
	work();
	{
		work()
	}
}
