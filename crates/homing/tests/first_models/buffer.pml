/* A bounded buffer under a lock: two producers, two consumers. A process that has to wait gives the lock back. */
#define SIZE 2
byte count;
bool lock;

inline acquire() { atomic { !lock -> lock = true } }
inline release() { lock = false }

proctype Producer(byte id; byte n) {
	byte i;
	do
	:: i < n ->
	   i++;
	   acquire();
	   do
	   :: count == SIZE -> release(); count < SIZE; acquire()
	   :: else -> break
	   od;
	   count++;
	   assert(count <= SIZE);
	   release()
	:: else -> break
	od
}

proctype Consumer(byte n) {
	byte i;
	do
	:: i < n ->
	   i++;
	   acquire();
	   if
	   :: count == 0 -> release(); count > 0; acquire() /* planted: not tested again with the lock */
	   :: else
	   fi;
	   assert(count > 0);
	   count--;
	   release()
	:: else -> break
	od
}

init {
	atomic {
		run Producer(1, 3);
		run Producer(2, 3);
		run Consumer(3);
		run Consumer(3)
	}
}
