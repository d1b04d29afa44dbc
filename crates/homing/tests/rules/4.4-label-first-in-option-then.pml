/*
 * 4.4  The state that is marked is the one behind the first statement: the process may end in
 * front of the second.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 1, first "invalid end state" after 1, shortest 1
 */
byte x;

active proctype P() {
	if
	:: end: x == 0 -> x == 1
	:: x == 0 -> x == 2
	fi
}
