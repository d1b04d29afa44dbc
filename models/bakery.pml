/* Lamport's bakery: take a number greater than all others, wait until yours is the smallest. Numbers are bounded: who would
 * draw one above MAX lets the others go first and draws again. N processes by -D N=3, numbers by -D MAX=5.
 *
 * SPIN 6.5.2: states 4170, transitions 7995, errors 0
 */
#ifndef N
#define N 2
#endif
#ifndef MAX
#define MAX 4
#endif

bool choosing[N];
byte number[N];
byte critical;

/* Whether process i is to go before this one. */
#define BEFORE(i) (number[i] != 0 && (number[i] < number[_pid] || number[i] == number[_pid] && i < _pid))

active [N] proctype Customer() {
	byte i, greatest;
draw:
	choosing[_pid] = true;
	greatest = 0;
	i = 0;
	do
	:: i == N -> break
	:: i < N && number[i] > greatest -> greatest = number[i]; i++
	:: i < N && number[i] <= greatest -> i++
	od;
	if
	:: greatest == MAX -> choosing[_pid] = false; goto draw
	:: else -> number[_pid] = greatest + 1
	fi;
	choosing[_pid] = false;
	i = 0;
	do
	:: i == N -> break
	:: else ->
		!choosing[i];
		!BEFORE(i);
		i++
	od;
	critical++;
	assert(critical == 1);
	critical--;
	number[_pid] = 0;
	goto draw
}
