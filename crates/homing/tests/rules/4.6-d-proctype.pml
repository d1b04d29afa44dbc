/*
 * 4.6  In a D_proctype two executable options are an error.
 *
 * SPIN 6.5.2: verdict violated, first "non-determinism in D_proctype" after 1
 */
byte x;

active D_proctype P() {
	if
	:: x == 0 -> x = 1
	:: x < 2 -> x = 2
	fi
}
