/* Sliding window protocol (go back n) over channels that lose messages. The sender has up to W unacknowledged messages on
 * the way and repeats them from the oldest when it loses patience; the receiver acknowledges the last one that came in
 * order. Sequence numbers are modulo W+1, contents modulo DATA: the receiver knows what has to come. W by -D W=3, slots of
 * a channel by -D SLOTS=3.
 *
 * SPIN 6.5.2: states 6195, transitions 20747, errors 0
 */
#ifndef W
#define W 1
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#define DATA 3
#define NUMBERS (W + 1)

chan data = [SLOTS] of { byte, byte };	/* sequence number, content */
chan ack = [SLOTS] of { byte };		/* the number expected next */

active proctype Sender() {
	byte oldest;		/* sequence number of the oldest message on the way */
	byte content;		/* and what is in it */
	byte sent;		/* how many are on the way */
	byte next;
end:	do
	:: sent < W ->
		data!((oldest + sent) % NUMBERS), ((content + sent) % DATA);
		sent++
	:: ack?next ->
		do
		:: oldest != next && sent > 0 ->
			atomic { oldest = (oldest + 1) % NUMBERS; content = (content + 1) % DATA; sent-- }
		:: else -> break
		od
	:: sent > 0 -> sent = 0		/* lost patience: go back */
	od
}

active proctype Receiver() {
	byte expected, content;
	byte number, got;
end:	do
	:: data?number, got ->
		if
		:: number == expected ->
			assert(got == content);
			expected = (expected + 1) % NUMBERS;
			content = (content + 1) % DATA
		:: else
		fi;
		ack!expected
	od
}

active proctype Loss() {
end:	do
	:: data?_, _
	:: ack?_
	od
}
