/* Hyman's algorithm for mutual exclusion, two processes, published in 1966 as a simplification of Dijkstra's and wrong:
 * whoever has seen that the other does not want to enter takes the turn and goes in, while the other may have entered on
 * the old turn. (With -D CORRECT it is Peterson's algorithm: states 38, transitions 65, no error.)
 *
 * homing check mutex.pml --property 'invariant: critical <= 1' finds it as well.
 *
 * SPIN 6.5.2: states 96, transitions 183, errors 8, first "assertion violated" after 26, shortest 10
 */
bool wants[2];
byte turn, critical;

active [2] proctype Process() {
	byte me = _pid, other = 1 - _pid;
	do
	:: wants[me] = true;
#ifdef CORRECT
		turn = other;
		!wants[other] || turn == me;
#else
		do
		:: turn != me ->
			!wants[other];
			turn = me
		:: turn == me -> break
		od;
#endif
		critical++;
		assert(critical == 1);
		critical--;
		wants[me] = false
	od
}
