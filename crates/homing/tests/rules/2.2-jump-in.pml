/*
 * 2.2  Jumping into an atomic sequence makes the rest of it atomic. Q never sees x == 2.
 *
 * SPIN 6.5.2: states 13, transitions 22, errors 0
 */
byte x;

active proctype P() {
	if
	:: x = 5; goto in
	:: x = 6
	fi;
	atomic {
		x = 1;
in:		x = 2;
		x = 3
	}
}
active proctype Q() { assert(x != 2) }
