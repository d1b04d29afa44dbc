/* A tree of arbiters with CLIENTS clients, a power of two, at its leaves, numbered as a heap: node i has the children 2i and 2i + 1. An arbiter whose child asks
 * asks its parent, the root has the token, and a token that is given back goes the same way. Client FAULTY gives back what it does not
 * hold, so that two clients can work at the same time.
 */
#ifndef CLIENTS
#define CLIENTS 8
#endif
#ifndef FAULTY
#define FAULTY CLIENTS
#endif

bool asks[2 * CLIENTS];
bool has[2 * CLIENTS];
bool returns[2 * CLIENTS];
byte working;

proctype Arbiter(byte i) {
	byte child;
	do
	:: atomic {
		if
		:: asks[2 * i] -> child = 2 * i
		:: asks[2 * i + 1] -> child = 2 * i + 1
		fi
	   }
	   if
	   :: i > 1 -> asks[i] = true; has[i]; has[i] = false
	   :: else
	   fi;
	   atomic { asks[child] = false; has[child] = true }
	   atomic { returns[child]; returns[child] = false }
	   if
	   :: i > 1 -> returns[i] = true
	   :: else
	   fi
	od
}

proctype Client(byte i) {
	do
	:: asks[i] = true;
	   has[i];
	   has[i] = false;
	   working++;
	   assert(working == 1);
	   working--;
	   returns[i] = true
	:: i == FAULTY -> returns[i] = true
	od
}

init {
	byte i = 1;
	atomic {
		do
		:: i < CLIENTS -> run Arbiter(i); i++
		:: i >= CLIENTS && i < 2 * CLIENTS -> run Client(i); i++
		:: i == 2 * CLIENTS -> break
		od
	}
}
