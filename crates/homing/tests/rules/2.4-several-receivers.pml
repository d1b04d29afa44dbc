/*
 * 2.4  Every process that waits at a matching receive is a successor of its own, the highest pid
 * first. The first error is that of the last receiver, which takes two steps more.
 *
 * SPIN 6.5.2: states 13, transitions 13, errors 3, first "assertion violated" after 6, shortest 4
 */
chan c = [0] of { byte };
byte x;

active proctype Sender() { c!1 }
active [3] proctype Receiver() {
	end: c?1;
	if
	:: _pid == 3 -> x = 1; x = 2; assert(false)
	:: _pid < 3 -> assert(false)
	fi
}
