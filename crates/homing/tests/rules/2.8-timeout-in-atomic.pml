/*
 * 2.8  A process blocked inside an atomic sequence may use timeout after atomicity was given up: Q
 * moves first.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 0
 */
byte x;

active proctype P() {
	atomic { x = 1; timeout; assert(x == 3); x = 4 }
}
active proctype Q() { x == 1; x = 2; x = 3 }
