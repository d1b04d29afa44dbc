/*
 * 2.2  A goto from inside an atomic sequence to a label in front of it leaves the sequence: a step
 * of its own, and the state is stored.
 *
 * SPIN 6.5.2: states 8, transitions 9, errors 0
 */
byte x;

active proctype P() {
end:	atomic {
		x < 3;
		x++;
		goto end
	}
}
active proctype Q() { end: x == 2; x = 3 }
