/* Plain old telephony: two users, each with a telephone whose handler in the exchange talks to that of the other side. All
 * signals are buffered, and nobody waits for the other to have seen one, so everybody may act on what is no longer true.
 * What must not be: both users and the handler of the caller believe in a conversation while the handler of the other side
 * does not (HSF-SPIN, section 2.4). That is the invariant `consistent`, and it is violated:
 *
 *   homing check pots.pml --property 'invariant: consistent'
 */
mtype = { offhook, onhook, dial, dialtone, ringback, ring, silence, busy, connect, call, alert, answer, hangup };
chan line[2] = [1] of { mtype };	/* user to handler */
chan phone[2] = [1] of { mtype };	/* handler to user */
chan trunk[2] = [1] of { mtype };	/* to this handler from the other one */

#define consistent (!(Handler[2]@conversation && !Handler[3]@conversation && User[0]@conversation && User[1]@conversation))

active [2] proctype User() {
idle:
	if
	:: line[_pid]!offhook ->
		do
		:: phone[_pid]?dialtone -> line[_pid]!dial
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
	byte me = _pid - 2, other = 3 - _pid;
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
	:: line[me]?dial -> trunk[other]!call; goto calling
	:: line[me]?onhook -> goto idle
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
