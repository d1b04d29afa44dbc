/* Peterson's algorithm for mutual exclusion, two processes.
 *
 * SPIN 6.5.2: states 38, transitions 65, errors 0
 */
bool wants[2];
byte turn, critical;

active [2] proctype Process() {
	byte other = 1 - _pid;
again:
	wants[_pid] = true;
	turn = other;
	!wants[other] || turn == _pid;
	critical++;
	assert(critical == 1);
	critical--;
	wants[_pid] = false;
	goto again
}
