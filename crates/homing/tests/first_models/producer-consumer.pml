/* A bounded buffer with a count of items. */
#define SIZE 3
byte buffer[SIZE];
byte count, in, out;

active proctype Producer() {
	byte item = 1;
	do
	:: count <= SIZE -> /* planted: should be < */
	   buffer[in] = item;
	   in = (in + 1) % SIZE;
	   atomic { count++; item = item % 10 + 1 }
	od
}

active proctype Consumer() {
	byte expected = 1, got;
	do
	:: count > 0 ->
	   got = buffer[out];
	   assert(got == expected);
	   out = (out + 1) % SIZE;
	   atomic { count--; expected = expected % 10 + 1 }
	od
}
