/*
 * 2.3  A d_step that begins with a selection or repetition waits until one of its options is
 * executable.
 *
 * SPIN 6.5.2: states 14, transitions 17, errors 0
 */
byte x;

active proctype P() {
	d_step {
		if
		:: x == 1 -> x = 10
		:: x == 2 -> x = 20
		fi;
		x++
	};
	d_step {
		do
		:: x == 0 -> break
		:: x == 12 -> x = 0
		od;
		x = 5
	}
}
active proctype Q() {
	if
	:: x = 1
	:: x = 2
	fi;
	if
	:: x == 11 -> x = 12
	:: x == 21 -> x = 0
	fi
}
