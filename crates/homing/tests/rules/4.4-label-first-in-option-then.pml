/*
 * 4.4  A label on the first statement of an option marks the state behind it: the process may end
 * there, but not behind the guard of the other option.
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
