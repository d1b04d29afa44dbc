/*
 * 1.7  P:x without a pid is that of the only process of the type.
 *
 * SPIN 6.5.2: refused
 */
active proctype Q() {
	byte seen;
	seen = P:x;
	assert(seen == 0)
}
active proctype P() {
	byte x;
	x = 5;
	end: false
}
