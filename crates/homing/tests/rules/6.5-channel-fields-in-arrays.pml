/*
 * 6.5  Channels in records in arrays, and arrays of channels in records, are different channels.
 *
 * SPIN 6.5.2: states 12, transitions 12, errors 0
 */
typedef T { chan a[2] = [1] of { byte }; byte b = 2 };
T x;

init {
	T g;
	skip;
	T h[2];
	g.a[0]!3;
	assert(len(g.a[1]) == 0 && len(h[0].a[0]) == 0);
	h[1].a[1]!5;
	x.a[1]!7;
	h[1].a[1]?g.b;
	assert(g.b == 5);
	x.a[1]?g.b;
	assert(g.b == 7)
}
