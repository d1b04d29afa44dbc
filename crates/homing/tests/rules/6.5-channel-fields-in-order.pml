/*
 * 6.5  The channels of records are numbered in order of their declarations, among the other
 * channels of the process.
 *
 * SPIN 6.5.2: states 13, transitions 13, errors 0
 */
typedef T { chan c = [1] of { byte }; chan d[2] = [1] of { byte }; byte z = 1 };
byte v;

init {
	chan a = [1] of { byte };
	chan aa[2] = [2] of { byte };
	skip;
	T u;
	chan e;
	e = u.c;
	if
	:: e == 4 -> v++
	:: else
	fi;
	T w;
	e = w.c;
	if
	:: e == 7 -> v++
	:: else
	fi;
	assert(v == 2)
}
