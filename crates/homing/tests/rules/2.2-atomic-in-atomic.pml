/*
 * 2.2  An atomic sequence inside another one changes nothing: the inner end does not give control
 * away.
 *
 * SPIN 6.5.2: states 7, transitions 9, errors 0
 */
byte x;

active proctype P() {
	atomic { x = 1; atomic { x = 2; x = 3 }; x = 4 }
}
active proctype Q() { assert(x == 0 || x == 4) }
