/*
 * 2.8  timeout is executable when no process has another step. The count goes up to three before
 * it.
 *
 * SPIN 6.5.2: states 10, transitions 10, errors 1, first "assertion violated" after 8, shortest 8
 */
byte x;

active proctype P() {
	do
	:: x < 3 -> x++
	:: timeout -> break
	od;
	assert(x != 3)
}
