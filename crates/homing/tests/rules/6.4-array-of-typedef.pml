/*
 * 6.4  Every element of an array of a typedef has its own fields.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
typedef T { byte a; byte b[2] };
T t[2];

init {
	t[0].b[1] = 5;
	t[1].a = 6;
	assert(t[0].a == 0 && t[1].b[1] == 0 && t[0].b[1] + t[1].a == 11)
}
