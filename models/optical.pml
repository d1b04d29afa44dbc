/* Optical telegraph: stations in a ring pass messages on by hand signals. A station has two ends, one up and one down the
 * line, that share its control; either takes a message from its neighbour or begins one of its own. When each holds the
 * control of its station and waits for the attention of its neighbour, nothing moves. N stations by -D N=6, as in the
 * tables of HSF-SPIN. The control flow is that of the planning domain made of the model.
 *
 * SPIN 6.5.2: states 2066, transitions 5228, errors 8, first "invalid end state" after 24, shortest 22
 * With N=6 the first is after 45, the shortest 39 (HSF-SPIN prints 44 and 38, one step less in all).
 */
#ifndef N
#define N 3
#endif

mtype = { start, control, attention, data, stop };
chan down[N] = [1] of { mtype };
chan stctl[N] = [1] of { mtype };	/* control of the station, one for both ends */
chan up[N] = [1] of { mtype };

#define NEXT ((id + 1) % N)

proctype Down(byte id) {
	do
	:: down[id]?start -> stctl[id]!control; up[id]!attention;
		do
		:: down[id]?data -> up[id]!data
		:: down[id]?stop -> break
		od;
		up[id]!stop; stctl[id]?control
	:: stctl[id]!control -> up[id]!start; down[id]?attention;
		do
		:: up[id]!data -> down[id]?data
		:: up[id]!stop -> break
		od;
		down[id]?stop; stctl[id]?control
	od
}

proctype Up(byte id) {
	do
	:: up[NEXT]?start -> stctl[id]!control; down[NEXT]!attention;
		do
		:: up[NEXT]?data -> down[NEXT]!data
		:: up[NEXT]?stop -> break
		od;
		down[NEXT]!stop; stctl[id]?control
	:: stctl[id]!control -> down[NEXT]!start; up[NEXT]?attention;
		do
		:: down[NEXT]!data -> up[NEXT]?data
		:: down[NEXT]!stop -> break
		od;
		up[NEXT]?stop; stctl[id]?control
	od
}

init {
	byte i;
	atomic {
		do
		:: i < N -> run Down(i); run Up(i); i++
		:: i >= N -> break
		od
	}
}
