/* Plain old telephony: two users, each with a telephone and its handler in the exchange; the handlers talk to each other. A
 * handler has the attention of its user, but all other signals are buffered, and acted on when they are no longer true. Like
 * the model in HSF-SPIN it is a first cut, full of races. What must not be is that both users and the first handler believe
 * in a conversation and the second handler does not: the invariant `consistent`, which is violated. Numbers to dial have
 * DIGITS digits, by -D DIGITS=3.
 *
 *   homing check pots.pml --property 'invariant: consistent'
 *
 * SPIN 6.5.2: states 183165, transitions 610733, errors 164, first "invalid end state" after 3208
 * The shortest trail to an invalid end state has 52 statements, that to a state that is not consistent 60; the first such of
 * a depth-first search has 26456.
 */
#ifndef DIGITS
#define DIGITS 2
#endif

mtype = { offhook, onhook, dial, dialtone, ringback, ring, silence, busy, connect, call, alert, answer, hangup };
chan line[2] = [1] of { mtype };	/* user to handler */
chan phone[2] = [0] of { mtype };	/* handler to user */
chan trunk[2] = [1] of { mtype };	/* to this handler from the other one */

/* Handler 2 serves user 0, handler 3 user 1. */
#define consistent (!(Handler[2]@conversation && !Handler[3]@conversation && User[0]@conversation && User[1]@conversation))

active [2] proctype User() {
	byte i;
idle:
	if
	:: line[_pid]!offhook ->
		do
		:: phone[_pid]?dialtone ->
			for (i : 1 .. DIGITS) { line[_pid]!dial }
			i = 0
		:: phone[_pid]?ringback
		:: phone[_pid]?connect -> goto conversation
		:: phone[_pid]?busy -> goto leave
		:: phone[_pid]?ring		/* it rang just before */
		:: phone[_pid]?silence
		:: goto leave
		od
	:: phone[_pid]?ring ->
		if
		:: line[_pid]!offhook ->
			do
			:: phone[_pid]?connect -> goto conversation
			:: phone[_pid]?silence
			:: phone[_pid]?dialtone -> goto leave	/* the caller gave up */
			:: phone[_pid]?busy -> goto leave
			od
		:: phone[_pid]?silence -> goto idle
		fi
	:: phone[_pid]?dialtone -> goto idle	/* too late, as are those that follow */
	:: phone[_pid]?ringback -> goto idle
	:: phone[_pid]?connect -> goto idle
	:: phone[_pid]?busy -> goto idle
	:: phone[_pid]?silence -> goto idle
	fi;
conversation:
	do
	:: phone[_pid]?busy -> break
	:: phone[_pid]?dialtone
	:: phone[_pid]?ring
	:: phone[_pid]?connect
	:: phone[_pid]?silence
	:: phone[_pid]?ringback
	:: break
	od;
leave:
	do
	:: line[_pid]!onhook -> goto idle
	:: phone[_pid]?_
	od
}

active [2] proctype Handler() {
	byte me = _pid - 2, other = 3 - _pid, digits;
idle:
	do
	:: line[me]?offhook -> phone[me]!dialtone; break
	:: line[me]?onhook
	:: line[me]?dial
	:: trunk[me]?call -> trunk[other]!alert; phone[me]!ring; goto ringing
	:: trunk[me]?hangup
	:: trunk[me]?answer
	:: trunk[me]?alert
	:: trunk[me]?busy
	od;
	/* dialling */
	do
	:: line[me]?dial ->
		digits++;
		if
		:: digits == DIGITS -> digits = 0; trunk[other]!call; goto calling
		:: else
		fi
	:: line[me]?onhook -> digits = 0; goto idle
	:: line[me]?offhook
	:: trunk[me]?call -> trunk[other]!busy
	:: trunk[me]?hangup
	:: trunk[me]?answer
	:: trunk[me]?alert
	:: trunk[me]?busy
	od;
calling:
	do
	:: trunk[me]?alert -> phone[me]!ringback
	:: trunk[me]?answer -> phone[me]!connect; goto conversation
	:: trunk[me]?busy -> phone[me]!busy; goto release
	:: trunk[me]?call -> trunk[other]!busy
	:: trunk[me]?hangup -> phone[me]!busy; goto release
	:: line[me]?onhook -> trunk[other]!hangup; goto idle
	:: line[me]?offhook
	:: line[me]?dial
	od;
ringing:
	do
	:: line[me]?offhook -> trunk[other]!answer; phone[me]!connect; goto conversation
	:: trunk[me]?hangup -> phone[me]!silence; goto idle
	:: line[me]?onhook
	:: line[me]?dial
	:: trunk[me]?call
	:: trunk[me]?answer
	:: trunk[me]?alert
	:: trunk[me]?busy
	od;
conversation:
	do
	:: line[me]?onhook -> trunk[other]!hangup; goto idle
	:: trunk[me]?hangup -> phone[me]!busy; goto release
	:: line[me]?offhook
	:: line[me]?dial
	:: trunk[me]?call -> trunk[other]!busy
	:: trunk[me]?answer
	:: trunk[me]?alert
	:: trunk[me]?busy
	od;
release:
	do
	:: line[me]?onhook -> goto idle
	:: line[me]?offhook
	:: line[me]?dial
	:: trunk[me]?call -> trunk[other]!busy
	:: trunk[me]?hangup
	:: trunk[me]?answer
	:: trunk[me]?alert
	:: trunk[me]?busy
	od
}
