/*
 * 6.1  Arrays of bit and bool are bytes: what is stored is not cut to one bit.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
bit a[2];
bool b[2];

init {
	a[0] = 3; b[1] = 258;
	assert(a[0] == 3 && b[1] == 2)
}
