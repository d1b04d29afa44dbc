/* Peterson's algorithm for N processes: N-1 waiting rooms, each of which holds back the last to enter. A process goes on
 * when somebody came after it, or when it has seen one by one that all others are in earlier rooms. N by -D N=4.
 *
 * SPIN 6.5.2: states 8955, transitions 24344, errors 0
 */
#ifndef N
#define N 3
#endif

byte room[N];		/* 0: does not want to enter */
byte last[N];		/* who came last into a room */
byte critical;

active [N] proctype Process() {
	byte here, other;
	do
	:: here < N - 1 ->
		here++;
		room[_pid] = here;
		last[here] = _pid;
		do
		:: atomic { other == N || last[here] != _pid -> other = 0; break }
		:: other < N && (other == _pid || room[other] < here) -> other++
		od
	:: else ->
		critical++;
		assert(critical == 1);
		critical--;
		atomic { room[_pid] = 0; here = 0 }
	od
}
