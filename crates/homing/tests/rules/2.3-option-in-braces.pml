/*
 * 2.3  An option in braces at the head of a d_step does not count as a guard: the d_step is
 * entered though it cannot go on, and that ends pan.
 *
 * SPIN 6.5.2: verdict violated, first "block in d_step seq" after 1
 */
byte x;

active proctype P() {
	d_step {
		if
		:: { x == 1; x = 2 }
		:: { x == 3; x = 4 }
		fi
	}
}
active proctype Q() { x = 1 }
