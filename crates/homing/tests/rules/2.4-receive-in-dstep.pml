/*
 * 2.4  The receive at the head of a d_step is the second half of a handshake, and the whole d_step
 * is done with it.
 *
 * SPIN 6.5.2: states 6, transitions 7, errors 0
 */
chan c = [0] of { byte };
byte x;

active proctype Sender() { c!3; assert(x == 9) }
active proctype Receiver() {
	byte v;
	d_step { c?v; x = v; x = x * 3 }
}
