/*
 * 2.10  An escape inside an atomic sequence is part of it: after the escape the sequence goes on
 * without giving control away.
 *
 * SPIN 6.5.2: states 7, transitions 9, errors 0
 */
byte x;

active proctype P() {
	atomic {
		x = 1;
		{ x = 2; x = 3 } unless { x == 2; x = 10 };
		x = 11
	}
}
active proctype Q() { assert(x == 0 || x == 11) }
