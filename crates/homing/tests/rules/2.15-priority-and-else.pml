/*
 * 2.15  A process of high priority in front of a selection with else is executable.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
byte x;

active proctype Low() { x = 1; x = 2 }
active proctype High() priority 2 {
	if
	:: x == 1 -> x = 5
	:: else -> x = 6
	fi
}
