/*
 * 2.10  An escape that is an atomic sequence runs atomically from its first statement on.
 *
 * SPIN 6.5.2: states 13, transitions 19, errors 0
 */
byte x;

active proctype P() {
	{ x = 1; x = 2; x = 3 } unless { atomic { x == 2; x = 20; x = 21 } }
}
active proctype Q() { assert(x != 20) }
