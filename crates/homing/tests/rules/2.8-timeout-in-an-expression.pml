/*
 * 2.8  timeout is a value that may stand in an expression; the whole expression is tried again
 * when nothing else can move.
 *
 * SPIN 6.5.2: states 9, transitions 9, errors 0
 */
byte x;

active proctype P() {
	do
	:: x < 2 -> x++
	:: timeout && x == 2 -> x = 5
	:: x == 5 -> break
	od
}
