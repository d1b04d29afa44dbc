/*
 * 1.7  A hidden unsigned variable is a byte in pan: what is assigned is cut to eight bits, not to
 * its width. All assertions hold.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
hidden unsigned u : 3;

init {
	atomic { u = 200; assert(u == 200) };
	atomic { u = 257; assert(u == 1) }
}
