/*
 * 2.1  A goto that is the first statement of an option is a step of its own. The first option is
 * one state longer than the jump alone would be.
 *
 * SPIN 6.5.2: states 5, transitions 6, errors 0
 */
byte x;

init {
	if
	:: goto M
	:: x = 1 -> goto M
	fi;
	x = 9;
M:	x = 2
}
