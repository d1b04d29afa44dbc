/*
 * 6.4  The initial values of fields count in an atomic sequence and in a d_step.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
typedef T { byte a = 5; byte b };
byte n;

init {
	atomic {
		T y;
		assert(y.a == 5);
		y.a = 1
	};
	d_step {
		n = 1;
		T z;
		assert(z.a == 5);
		n = z.a
	};
	atomic {
		n++;
		T w;
		do
		:: w.a > 3 -> w.a--
		:: else -> break
		od;
		assert(w.a == 3)
	}
}
