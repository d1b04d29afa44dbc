/*
 * 6.3  Each named set of mtype counts by itself.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
mtype = { a, b };
mtype:fruit = { apple, pear, plum };
mtype:size = { small, large };
mtype:fruit f = pear;

init {
	byte x = f;
	assert(x == 2 && apple == 3 && plum == 1);
	assert(small == 2 && large == 1 && a == 2 && b == 1)
}
