/* A ring of stations with large memories: a state of more than a kilobyte at N=30, of which a step changes a few bytes.
 * Station 0 sends TOKENS tokens round, LAPS times; each station keeps a log of the lap in which a token last passed.
 * N by -D N=30.
 *
 * SPIN 6.5.2: states 325, transitions 561, errors 0
 */
#ifndef N
#define N 4
#endif
#ifndef TOKENS
#define TOKENS 2
#endif
#ifndef LAPS
#define LAPS 2
#endif
#define SLOTS 4
#define LOG 16

chan link[N] = [SLOTS] of { byte, byte, byte };	/* token, lap, hops */

active [N] proctype Station() {
	byte log[LOG];
	byte token, lap, hops, sent;
	byte next = (_pid + 1) % N;
end:	do
	:: _pid == 0 && sent < TOKENS -> atomic { link[next]!sent, 1, 1 -> sent++ }
	:: atomic {
			link[_pid]?token, lap, hops ->
			assert(hops == (_pid == 0 -> N : _pid));
			assert(log[token] == lap - 1);
			log[token] = lap
		};
		if
		:: _pid != 0 -> link[next]!token, lap, (hops + 1)
		:: _pid == 0 && lap < LAPS -> link[next]!token, (lap + 1), 1
		:: else		/* the token has done its laps */
		fi
	od
}
