/*
 * 1.7  After a rendezvous _last is the receiver; inside an atomic sequence it follows every single
 * step. All assertions hold.
 *
 * SPIN 6.5.2: states 9, transitions 9, errors 0
 */
chan c = [0] of { byte };
byte stage;

active proctype A() {
	assert(_last == 0);
	c!1;
	assert(_last == 1);
	stage = 1
}
active proctype B() {
	c?1;
	atomic { stage == 1; assert(_last == 1) };
	assert(_last == 1 || _last == 0)
}
