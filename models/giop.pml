/* A protocol between object request brokers in the manner of CORBA's GIOP. A user calls an object through its client, and
 * may lose patience and cancel the call. The client asks where the object is when it has no connection yet, sends the
 * request, and waits for the reply; it sends the request again when the other side closes the connection. The agent stands
 * between the clients and the server: it answers the question for the object, passes requests and replies on, forgets
 * those that were cancelled and closes connections without a request. But what it forgets the server still works on: after
 * a few cancelled calls the agent waits to pass on one more request while the server waits to hand in a reply. With
 * -D CORRECT the agent takes no message from the clients before it can pass on a request. 1 to 3 CLIENTS by -D CLIENTS=2.
 *
 * SPIN 6.5.2: states 16362, transitions 42285, errors 10, first "invalid end state" after 2272, shortest 76
 * With two clients the shortest trail has 72 statements, with three 71. Correct, one client has states 7524, transitions
 * 18667, and two have states 4112527, transitions 14728977, without an error.
 */
#ifndef CLIENTS
#define CLIENTS 1
#endif

mtype = { call, cancel, done, failed, locate, here, request, reply, revoke, close };
chan wish[CLIENTS] = [0] of { mtype };			/* user to client */
chan outcome[CLIENTS] = [0] of { mtype };		/* client to user */
chan up = [1] of { mtype, byte, bit };		/* clients to agent: message, client, number of the call */
chan down[CLIENTS] = [1] of { mtype, bit };		/* agent to client */
chan work = [1] of { byte, bit };			/* agent to server */
chan finished = [0] of { byte, bit };			/* server to agent */

active [CLIENTS] proctype User() {
end:	do
	:: wish[_pid]!call ->
		if
		:: outcome[_pid]?done
		:: wish[_pid]!cancel -> outcome[_pid]?_
		fi
	od
}

active [CLIENTS] proctype Client() {
	byte me = _pid - CLIENTS;
	bool connected;
	bit number, other;
end:	do
	:: wish[me]?call ->
connect:	if
		:: connected
		:: else ->
			up!locate, me, number;
			do
			:: down[me]?here, _ -> connected = true; break
			:: down[me]?reply, _		/* to a call that was cancelled */
			od
		fi;
		do
		:: up!request, me, number; break
		:: down[me]?reply, _
		:: down[me]?close, _ -> connected = false; goto connect
		od;
asked:		do
		:: down[me]?reply, other ->
			if
			:: other == number ->
replied:				outcome[me]!done; break
			:: else
			fi
		:: down[me]?close, _ -> connected = false; goto connect
		:: wish[me]?cancel ->
			do
			:: up!revoke, me, number; break
			:: down[me]?reply, _
			:: down[me]?close, _ -> connected = false
			od;
			outcome[me]!failed;
			break
		od;
		atomic { other = 0; number = 1 - number }
	:: down[me]?reply, _
	:: down[me]?close, _ -> connected = false
	od
}

#ifdef CORRECT
#define TAKE atomic { nfull(work) && nempty(up) -> up?message, who, number }
#else
#define TAKE up?message, who, number
#endif

active proctype Agent() {
	bool open[CLIENTS], pending[CLIENTS];
	bit expected[CLIENTS];
	byte who;
	bit number;
	mtype message;
end:	do
	:: TAKE ->
		if
		:: message == locate ->
			open[who] = true;
			down[who]!here, number
		:: message == request && open[who] ->
			d_step { pending[who] = true; expected[who] = number };
			work!who, number
		:: message == request && !open[who]	/* the client will hear that it was closed */
		:: message == revoke -> d_step { pending[who] = false; expected[who] = 0 }
		fi;
		atomic { message = 0; who = 0; number = 0 }
	:: finished?who, number ->
		if
		:: pending[who] && expected[who] == number ->
			d_step { pending[who] = false; expected[who] = 0 };
			down[who]!reply, number
		:: else
		fi;
		atomic { who = 0; number = 0 }
	:: open[0] && !pending[0] -> open[0] = false; down[0]!close, 0
#if CLIENTS > 1
	:: open[1] && !pending[1] -> open[1] = false; down[1]!close, 0
#endif
#if CLIENTS > 2
	:: open[2] && !pending[2] -> open[2] = false; down[2]!close, 0
#endif
	od
}

active proctype Server() {
	byte who;
	bit number;
end:	do
	:: work?who, number -> finished!who, number; d_step { who = 0; number = 0 }
	od
}
