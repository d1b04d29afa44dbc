/*
 * 2.10  A rendezvous send under an escape is not executable while the escape is.
 *
 * SPIN 6.5.2: states 9, transitions 10, errors 0
 */
chan c = [0] of { byte };
byte x;

active proctype P() { { c!1; x = 1 } unless { x == 5; x = 6 } }
active proctype Q() {
	if
	:: c?1
	:: x = 5; end: c?1 -> assert(false)
	fi
}
