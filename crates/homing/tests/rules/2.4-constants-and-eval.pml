/*
 * 2.4  A send is executable only if the constants and eval fields of a waiting receive match.
 * Three of the four messages can be handed over.
 *
 * SPIN 6.5.2: states 8, transitions 10, errors 1, first "assertion violated" after 3, shortest 3
 */
chan c = [0] of { byte, byte };
byte want = 3;

active proctype Sender() {
	if
	:: c!1,3
	:: c!1,4
	:: c!2,3
	:: c!2,4
	fi
}
active proctype Receiver() {
	byte v;
	if
	:: c?1,eval(want)
	:: c?v,4 -> assert(v == 2)
	fi
}
