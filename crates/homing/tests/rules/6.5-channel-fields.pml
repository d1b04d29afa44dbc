/*
 * 6.5  A channel with an initialiser in a record is created with the process, wherever the
 * variable is declared.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
typedef T { chan a = [1] of { byte } };

init {
	skip;
	T y;
	y.a!3;
	assert(len(y.a) == 1)
}
