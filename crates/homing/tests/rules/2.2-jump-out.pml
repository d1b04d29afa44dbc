/*
 * 2.2  A step that jumps out of an atomic sequence is unmarked: the state behind it is stored and
 * the other process may move there.
 *
 * SPIN 6.5.2: states 13, transitions 22, errors 0
 */
byte x;

active proctype P() {
	atomic {
		x = 1;
		if
		:: goto out
		:: x = 2
		fi;
		x = 3
	};
out:	x = 4
}
active proctype Q() { assert(x != 2) }
