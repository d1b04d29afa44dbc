/* Peterson's algorithm for two processes. */
bool want[2];
byte turn;
byte inside;

active [2] proctype User() {
	byte me = _pid, other = 1 - _pid;
	do
	:: turn = other;
	   want[me] = true; /* planted: should come before the assignment to turn */
	   !want[other] || turn == me;
	   inside++;
	   assert(inside == 1);
	   inside--;
	   want[me] = false
	od
}
