/*
 * 2.10  A main sequence that is blocked is left by its escape as soon as that can move.
 *
 * SPIN 6.5.2: states 9, transitions 11, errors 0
 */
byte x;

active proctype P() {
	{ x == 9; x = 8 } unless { x == 2; x = 3 }
}
active proctype Q() { x = 1; x = 2 }
