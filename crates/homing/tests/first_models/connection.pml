/* A client connects, sends one request and disconnects; requests can be lost. */
mtype = { syn, ack, fin, closed };
chan up = [1] of { mtype };
chan down = [1] of { mtype };

active proctype Client() {
	up!syn;
	do
	:: down?ack -> break
	:: timeout -> up!syn
	od;
	up!fin;
	down?closed /* planted: no timeout here, a lost fin is waited for */
}

active proctype Server() {
	do
	:: up?syn -> down!ack
	:: up?fin -> down!closed; break
	:: up?_ -> skip /* lost */
	od
}
