/* Dining philosophers. Each takes the fork on the left, then the one on the right, so all can starve together.
 * Forks are processes, taken and put down by rendezvous. N by -D N=4.
 *
 * SPIN 6.5.2: states 35, transitions 76, errors 1, first "invalid end state" after 14, shortest 6
 * SPIN's own breadth-first search (-DBFS) does not find this deadlock: it lies behind a rendezvous.
 */
#ifndef N
#define N 3
#endif

mtype = { take, put };
chan fork[N] = [0] of { mtype };

active [N] proctype Philosopher() {
	byte left = _pid, right = (_pid + 1) % N;
think:
	fork[left]!take;
	fork[right]!take;
	/* eat */
	fork[right]!put;
	fork[left]!put;
	goto think
}

active [N] proctype Fork() {
	byte me = _pid - N;
end:	do
	:: fork[me]?take -> fork[me]?put
	od
}
