/*
 * 2.2  A process that lost control in an atomic sequence runs the rest as atomic when it goes on,
 * because the mark belongs to the control state. The assertion of Q holds.
 *
 * SPIN 6.5.2: states 12, transitions 17, errors 0
 */
byte x;
bool go;

active proctype P() {
	atomic { x = 1; go; x = 2; x = 3; x = 4 }
}
active proctype Q() {
	go = true;
	assert(x != 2 && x != 3)
}
