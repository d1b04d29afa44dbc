/*
 * 2.4  While a handshake is pending nothing but a matching receive is executable, else and timeout
 * included. Bystander does not match, and could take its else before or after, but never in
 * between.
 *
 * SPIN 6.5.2: states 10, transitions 13, errors 0
 */
chan c = [0] of { byte };
byte x;

active proctype Sender() { c!1 }
active proctype Receiver() { c?1 }
active proctype Bystander() {
	if
	:: c?2 -> x = 1
	:: timeout -> x = 2
	:: else -> x = 3
	fi
}
