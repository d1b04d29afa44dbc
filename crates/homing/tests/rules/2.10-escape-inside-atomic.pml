/*
 * 2.10  The states between the steps of an atomic sequence have the escape too. The atomic
 * sequence is left in its middle.
 *
 * SPIN 6.5.2: states 10, transitions 14, errors 0
 */
byte x;

active proctype P() {
	{ atomic { x = 1; x = 2; x = 3 } } unless { x == 2; x = 10 }
}
active proctype Q() { assert(x != 3) }
