/*
 * 2.2  In a loop of atomic sequences the state is stored after every pass. There is one state per
 * pass, and Q may move between two passes.
 *
 * SPIN 6.5.2: states 12, transitions 16, errors 0
 */
byte x;

active proctype P() {
	do
	:: atomic { x < 6 -> x++; x++ }
	:: x == 6 -> break
	od
}
active proctype Q() { x == 4 || x == 6 }
