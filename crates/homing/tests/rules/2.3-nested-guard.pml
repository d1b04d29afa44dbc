/*
 * 2.3  A selection at the head of an option of the first selection counts with its guards.
 *
 * SPIN 6.5.2: states 6, transitions 7, errors 0
 */
byte x;

active proctype P() {
	d_step {
		if
		:: if
		   :: x == 1 -> x = 10
		   :: x == 2 -> x = 20
		   fi
		:: x == 3 -> x = 30
		fi
	}
}
active proctype Q() { x = 2 }
