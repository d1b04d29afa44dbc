/* An elevator for N floors. Passengers call it and tell it where to go; it goes on in its direction as long as somebody is
 * to be served there. It never moves with an open door, and takes no more than ROOM. N floors by -D N=4, passengers by
 * -D PASSENGERS=3.
 *
 * SPIN 6.5.2: states 1864, transitions 3433, errors 0
 */
#ifndef N
#define N 3
#endif
#ifndef PASSENGERS
#define PASSENGERS 1
#endif
#define ROOM 2

mtype = { open, opened, close, closed };
chan door = [0] of { mtype };
bool requested[N];
byte floor, inside;
bool moving, ajar;

active proctype Cab() {
	bool up = true, above, below;
	byte i;
end:	do
	:: requested[floor] ->
		door!open; door?opened;
		requested[floor] = false;
		door!close; door?closed
	:: else ->
		d_step {
			above = false; below = false;
			i = 0;
			do
			:: i < N ->
				if
				:: requested[i] && i > floor -> above = true
				:: requested[i] && i < floor -> below = true
				:: else
				fi;
				i++
			:: else -> break
			od;
			i = 0;
			if
			:: up && !above -> up = false
			:: !up && !below -> up = true
			:: else
			fi
		};
		if
		:: above || below ->
			moving = true;
			if
			:: up && above -> floor++
			:: !up && below -> floor--
			:: else
			fi;
			moving = false
		:: else
		fi
	od
}

active proctype Door() {
end:	do
	:: door?open -> assert(!moving); ajar = true; door!opened
	:: door?close -> ajar = false; door!closed
	od
}

active [PASSENGERS] proctype Passenger() {
	byte at, to;
	do
	:: select(to : 0 .. N - 1);
		if
		:: to != at ->
			do
			:: atomic { ajar && floor == at && inside < ROOM -> inside++; break }
			:: !requested[at] && !(ajar && floor == at) -> requested[at] = true
			od;
			do
			:: atomic { ajar && floor == to -> inside--; at = to; break }
			:: !requested[to] && !(ajar && floor == to) -> requested[to] = true
			od
		:: else
		fi
	od
}
