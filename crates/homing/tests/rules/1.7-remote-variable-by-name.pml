/*
 * 1.7  P:x without a pid is that of the only process of the type.
 *
 * SPIN 6.5.2: states 8, transitions 9, errors 0
 */
active proctype P() {
	byte x;
	x = 5;
	x = 6
}
active proctype Q() {
	end: P:x == 5
}
