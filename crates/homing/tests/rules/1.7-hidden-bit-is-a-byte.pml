/*
 * 1.7  A hidden bit or unsigned variable is a byte in pan: what is assigned is cut to eight bits
 * instead of one or n. All assertions hold.
 *
 * SPIN 6.5.2: refused
 */
hidden bit b;
hidden unsigned u : 3;

init {
	atomic { b = 3; assert(b == 3) };
	atomic { u = 200; assert(u == 200) };
	atomic { u = 257; assert(u == 1) }
}
