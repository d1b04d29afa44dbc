/*
 * 2.10  In every state of the main sequence the escape is tried before the main statement, and if
 * it is executable the main statement is not.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
byte x;

active proctype P() {
	{ x = 1; x = 2; x = 3 } unless { x == 2 -> x = 10 };
	assert(x == 10)
}
