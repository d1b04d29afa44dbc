/*
 * 4.4  In a selection the label on the first statement of an option does not mark the state in
 * front of it: blocking there is an error.
 *
 * SPIN 6.5.2: states 1, transitions 1, errors 1, first "invalid end state" after 0, shortest 0
 */
chan c = [1] of { byte };

active proctype P() {
	if
	:: end: c?1
	:: c?2
	fi
}
