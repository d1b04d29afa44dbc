/* Dining philosophers that cannot all starve together. Forks are processes, taken and put down by rendezvous, as in
 * philosophers.pml; but philosopher 0 takes the right one first, so no circle of waiting closes. N by -D N=11.
 *
 * SPIN 6.5.2: states 33, transitions 62, errors 0
 */
#ifndef N
#define N 3
#endif

mtype = { take, put };
chan fork[N] = [0] of { mtype };

active [N] proctype Philosopher() {
	byte left = _pid, right = (_pid + 1) % N;
	byte first = (_pid == 0 -> right : left), second = (_pid == 0 -> left : right);
think:
	fork[first]!take;
	fork[second]!take;
eat:	skip;
	fork[second]!put;
	fork[first]!put;
	goto think
}

active [N] proctype Fork() {
	byte me = _pid - N;
end:	do
	:: fork[me]?take -> fork[me]?put
	od
}
