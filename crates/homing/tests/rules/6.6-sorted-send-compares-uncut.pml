/*
 * 6.6  !! compares the value before it is cut: 300 goes behind 50, although 44 is stored.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
chan c = [3] of { byte };

init {
	c!50;
	c!!300;
	c?50;
	c?44
}
