/*
 * 2.12  A select inside a d_step is the first of its values.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte v;

init {
	d_step { skip; select(v : 3 .. 6) };
	assert(v == 3)
}
