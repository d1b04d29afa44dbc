/* A token goes round; who holds it is in the critical section. */
#define N 3
chan ring[N] = [1] of { bit };
byte critical;

proctype Station(byte me) {
	do
	:: ring[me]?1 ->
	   critical++;
	   assert(critical == 1);
	   critical--;
	   ring[(me + 1) % N]!1
	:: me == 0 && empty(ring[0]) ->
	   ring[0]!1 /* planted: the token is taken for lost while another station has it */
	od
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 1) {
			run Station(i)
		}
		ring[0]!1
	}
}
