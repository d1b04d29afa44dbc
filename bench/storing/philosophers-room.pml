/* Dining philosophers with a room that holds all but one of them, so that no circle of waiting closes. A philosopher enters the
 * room and takes the left fork in one step, then the right one. N by -D N=6. One of them eats again and again:
 * ltl:[] <> (eating > 0), with 3524 states of the product for N=4 and 170316 for N=6. */
#ifndef N
#define N 4
#endif

bool taken[N];
byte inside, eating;

active [N] proctype Philosopher() {
again:	skip;	/* thinks */
	atomic { inside < N - 1 && !taken[_pid] -> inside++; taken[_pid] = true };
	atomic { !taken[(_pid + 1) % N] -> taken[(_pid + 1) % N] = true };
	eating++;
	skip;
	skip;
	eating--;
	taken[_pid] = false;
	taken[(_pid + 1) % N] = false;
	inside--;
	goto again
}
