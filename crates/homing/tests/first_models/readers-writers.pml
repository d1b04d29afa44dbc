/* Readers and writers with a counter of readers under a mutex. */
#define READERS 2
byte mutex = 1, wrt = 1;
byte readers;
byte reading, writing;

inline down(s) { atomic { s > 0 -> s-- } }
inline up(s) { s++ }

active [READERS] proctype Reader() {
	do
	:: down(mutex);
	   readers++;
	   if
	   :: readers == 1 -> down(wrt)
	   :: else
	   fi;
	   up(mutex);
	   reading++;
	   assert(writing == 0);
	   reading--;
	   readers--; /* planted: the counter is changed without the mutex */
	   if
	   :: readers == 0 -> up(wrt)
	   :: else
	   fi
	od
}

active proctype Writer() {
	do
	:: down(wrt);
	   writing++;
	   assert(reading == 0);
	   writing--;
	   up(wrt)
	od
}
