/*
 * 4.4  Any label whose name begins with end marks a valid end state, a name with end inside does
 * not.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 2, first "invalid end state" after 1, shortest 1
 */
byte x;

active proctype A() {
	if
	:: x = 1; endless: x == 9
	:: x = 2; end_2: x == 9
	:: x = 3; the_end: x == 9
	:: x = 4; End: x == 9
	fi
}
