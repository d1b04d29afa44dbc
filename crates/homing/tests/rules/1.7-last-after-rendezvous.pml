/*
 * 1.7  After a rendezvous _last is the receiver; after an atomic sequence or a d_step it is the
 * process that ran it. All assertions hold.
 *
 * SPIN 6.5.2: states 22, transitions 28, errors 3, first "invalid end state" after 9, shortest 8
 */
chan c = [0] of { byte };
byte stage;

active proctype A() {
	c!1;
	assert(_last == 1);
	stage == 1;
	assert(_last == 1)
}
active proctype B() {
	c?1;
	atomic { stage == 0; stage = 2; stage = 1 };
	_last == 0;
	stage = 2
}
