/*
 * 2.10  A rendezvous receive as an escape: the sender finds the partner in every state of the main
 * sequence.
 *
 * SPIN 6.5.2: states 13, transitions 18, errors 0
 */
chan c = [0] of { byte };
byte x;

active proctype P() {
	{ x = 1; x = 2; x = 3 } unless { c?1; x = 10 }
}
active proctype Q() { end: c!1 }
