/*
 * 2.6  A provided clause must hold for -end- too. P can never end, so Main waits for ever for its
 * death.
 *
 * SPIN 6.5.2: states 2, transitions 2, errors 1, first "invalid end state" after 1, shortest 1
 */
byte x;

active proctype Main() {
	_nr_pr == 1;
	x = 2
}
active proctype P() provided (x == 0) { x = 1 }
