/* Leader election on a ring: the greatest number wins. */
#define N 3
chan link[N] = [3] of { byte };
byte leaders;

proctype Node(byte me; byte number) {
	byte got;
	link[(me + 1) % N]!number;
end:	do
	:: link[me]?got ->
		if
		:: got > number -> link[(me + 1) % N]!got
		:: got < number -> link[(me + 1) % N]!number /* planted: a smaller number should be dropped */
		:: got == number -> leaders++; assert(leaders == 1)
		fi
	od
}

init {
	atomic {
		run Node(0, 2);
		run Node(1, 3);
		run Node(2, 1)
	}
}
