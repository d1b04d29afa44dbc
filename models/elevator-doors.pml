/* An elevator that may move with an open door. The cab goes from floor to floor in STEPS steps, the door opens and closes
 * in WIDTH steps. It opens again when somebody stands in it; but the TRIES-th time it gives up and says that it is shut, and
 * when somebody else has called, the cab moves. So the invariant `safe`, not opened or stopped, is violated:
 *
 *   homing check elevator-doors.pml --property 'invariant: safe'
 *
 * With -D CORRECT the door tries for ever: states 17047, transitions 55829, and `safe` holds. N floors by -D N=4, the
 * others likewise.
 *
 * SPIN 6.5.2: states 85198, transitions 277759, errors 0
 * The shortest trail to a state that is not safe has 107 statements, the first of a depth-first search 3178.
 */
#ifndef N
#define N 3
#endif
#ifndef STEPS
#define STEPS 3
#endif
#ifndef WIDTH
#define WIDTH 3
#endif
#ifndef TRIES
#define TRIES 8
#endif

mtype = { open, close, shut };
chan command = [0] of { mtype };	/* controller to door */
chan report = [0] of { mtype };		/* door to controller */
bool button[N];
bool obstacle;				/* somebody stands in the door */
byte gap;				/* how wide the door is open */
bool opened;
bool stopped = true;
byte floor;

#define safe (!opened || stopped)

active [N] proctype Passenger() {
	do
	:: !button[_pid] -> button[_pid] = true
	:: floor == _pid && gap > 0 && gap < WIDTH && !obstacle -> obstacle = true
	od
}

active proctype Controller() {
	byte target, position;
	do
	:: button[target] ->
		/* go there */
		do
		:: floor == target -> break
		:: else ->
			stopped = false;
			do
			:: position < STEPS -> position++
			:: else -> break
			od;
			position = 0;
			if
			:: floor < target -> floor++
			:: else -> floor--
			fi;
			stopped = true
		od;
		command!open;
		button[target] = false;
		command!close;
		report?shut
	:: else -> target = (target + 1) % N
	od
}

active proctype Door() {
#ifndef CORRECT
	byte tries;
#endif
	do
	:: command?open ->
		opened = true;
		do
		:: gap < WIDTH -> gap++
		:: else -> break
		od
	:: command?close ->
		do
		:: obstacle ->
#ifndef CORRECT
			tries++;
			if
			:: tries == TRIES -> break
			:: else
			fi;
#endif
			do
			:: gap < WIDTH -> gap++
			:: else -> break
			od;
			obstacle = false	/* they have passed */
		:: !obstacle && gap > 0 -> gap--
		:: !obstacle && gap == 0 -> opened = false; break
		od;
#ifndef CORRECT
		tries = 0;
#endif
		report!shut
	od
}
