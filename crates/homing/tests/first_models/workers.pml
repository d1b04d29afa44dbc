/* A master starts workers and collects their results. */
#define N 3
chan results = [N] of { byte };

proctype Worker(byte n) {
	if
	:: n == 2 -> goto finish /* planted: this worker ends without a result */
	:: else -> results!n
	fi;
finish:
	skip
}

init {
	byte i, sum, r;
	for (i : 1 .. N) {
		run Worker(i)
	}
	for (i : 1 .. N) {
		results?r;
		sum = sum + r
	}
	assert(sum == 6)
}
