/*
 * 2.2  An atomic sequence that cannot go on loses control: the state is stored and the others may
 * move.
 *
 * SPIN 6.5.2: states 12, transitions 17, errors 0
 */
byte x;
bool go;

active proctype P() {
	atomic { x = 1; go; x = 2; x = 3 }
}
active proctype Q() {
	go = true;
	assert(x != 2)
}
