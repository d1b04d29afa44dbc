/* Stable marriage by N suitors and N brides at work at the same time. A suitor proposes to one bride after the other, in his
 * order, until one says yes; she says no to him later if somebody comes whom she likes better, and he goes on. When all are
 * engaged the suitors go home. They count the engagements themselves, and a suitor who was given up stays counted until
 * he hears of it: so somebody may go home too early, and the bride who wants to give him up waits for ever. With
 * -D CORRECT the brides count how many of them were ever engaged, which is right: states 1090, transitions 2857, no error.
 * N by -D N=4.
 *
 * SPIN 6.5.2: states 1853, transitions 4868, errors 3, first "invalid end state" after 33, shortest 25
 */
#ifndef N
#define N 3
#endif

/* The k-th choice of suitor m, and of bride w; the best has number 0. */
#define WANTS(m, k) ((m / 2 + k) % N)
#define LIKES(w, k) ((2 * N - 1 + w - k) % N)

mtype = { yes, no };
chan proposal[N] = [1] of { byte };
chan answer[N] = [0] of { mtype };
byte engaged;

active [N] proctype Suitor() {
	byte k;
	mtype word;
propose:
	proposal[WANTS(_pid, k)]!_pid;
	answer[_pid]?word;
	if
	:: word == no ->
		k = (k + 1) % N;
		goto propose
	:: word == yes
	fi;
#ifndef CORRECT
	engaged++;
#endif
	if
	:: answer[_pid]?no ->
#ifndef CORRECT
		engaged--;
#endif
		k = (k + 1) % N;
		goto propose
	:: engaged == N		/* go home */
	fi
}

active [N] proctype Bride() {
	byte me = _pid - N, fiance, other, k;
	proposal[me]?fiance;
	answer[fiance]!yes;
#ifdef CORRECT
	engaged++;
#endif
end:	do
	:: proposal[me]?other ->
		k = 0;
		do
		:: LIKES(me, k) == other ->
			answer[other]!yes;
			answer[fiance]!no;
			fiance = other;
			break
		:: LIKES(me, k) == fiance ->
			answer[other]!no;
			break
		:: else -> k++
		od
	od
}
