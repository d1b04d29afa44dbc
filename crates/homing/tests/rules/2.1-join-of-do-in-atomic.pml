/*
 * 2.1  Inside atomic the join behind an inner do is a step of its own. The break leads to it, and
 * the sender loses control right there.
 *
 * SPIN 6.5.2: states 8, transitions 10, errors 0
 */
chan c = [0] of { byte };
byte x;

active proctype Sender() {
	atomic {
		do
		:: x == 0 -> x = 1
		:: x == 1 -> c!1; break
		od;
		x = 2
	};
	x = 3
}
active proctype Receiver() { c?_ }
