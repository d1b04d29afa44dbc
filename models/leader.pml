/* Election of a leader in a one-way ring (Chang and Roberts 1979): a process that wakes up, by itself or by a smaller name,
 * sends its own name round. Names smaller than one that has passed are swallowed, so the greatest of all comes home and
 * makes its owner the leader. Who has which name is chosen at the start. N processes by -D N=5.
 *
 * SPIN 6.5.2: states 1692, transitions 3419, errors 0
 */
#ifndef N
#define N 3
#endif

mtype = { candidate, elected };
chan ring[N] = [N] of { mtype, byte };
byte names[N];
byte leaders;

proctype Member(chan from, to; byte name) {
	byte other, greatest;
	do
	:: greatest == 0 -> greatest = name; to!candidate, name
	:: from?candidate, other ->
		if
		:: greatest == 0 && other < name -> greatest = name; to!candidate, name
		:: other > name && other > greatest -> greatest = other; to!candidate, other
		:: other == name ->
			leaders++;
			assert(leaders == 1 && name == N);
			to!elected, name
		:: else		/* its owner cannot win */
		fi
	:: from?elected, other ->
		assert(other == N);
		if
		:: other != name -> to!elected, other
		:: else
		fi;
		break
	od
}

init {
	byte i, j, name;
	atomic {
		for (i : 0 .. N - 1) { names[i] = i + 1 }
		for (i : 0 .. N - 1) {
			select(j : i .. N - 1);
			name = names[j]; names[j] = names[i]; names[i] = name;
			run Member(ring[i], ring[(i + 1) % N], name)
		}
		i = 0; j = 0; name = 0
	}
}
