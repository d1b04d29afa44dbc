/*
 * 6.1  int wraps around at both ends.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 0
 */
int i = 2147483647;

init {
	i = i + 1;
	assert(i == -2147483647 - 1);
	i = i - 1;
	assert(i == 2147483647);
	i = i * 2;
	assert(i == -2)
}
