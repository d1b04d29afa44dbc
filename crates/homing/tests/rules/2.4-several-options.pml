/*
 * 2.4  Every matching option of one receiver is a successor of its own.
 *
 * SPIN 6.5.2: states 9, transitions 9, errors 0
 */
chan c = [0] of { byte };
byte x;

active proctype Sender() { c!2 }
active proctype Receiver() {
	byte v;
	if
	:: c?1 -> x = 1
	:: c?2 -> x = 2
	:: c?v -> x = 3
	fi
}
