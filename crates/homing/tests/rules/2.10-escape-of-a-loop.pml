/*
 * 2.10  An escape around a loop ends the loop at any of its states.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 0
 */
byte x;

active proctype P() {
	do
	:: x < 3 -> x++
	:: x == 3 -> x = 0
	od unless { x == 2; x = 10 }
}
