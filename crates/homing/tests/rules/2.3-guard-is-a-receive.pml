/*
 * 2.3  A d_step may begin with a receive or a send; it waits for it like the statement alone.
 *
 * SPIN 6.5.2: states 10, transitions 12, errors 0
 */
chan c = [1] of { byte };
byte x;

active proctype P() {
	byte v;
	do
	:: d_step { c?v; x = x + v; v = 0 }
	:: x == 3 -> break
	od
}
active proctype Q() {
	d_step { c!1; skip };
	d_step { c!2; skip }
}
