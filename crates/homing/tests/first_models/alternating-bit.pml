/* Alternating bit protocol over channels that lose messages; the sender may repeat a message at any time. */
mtype = { data, ack };
chan forth = [2] of { mtype, byte, bit };
chan back = [2] of { mtype, bit };

active proctype Sender() {
	byte next; bit seq, got;
	do
	:: forth!data,next,seq
	:: back?ack,got ->
	   seq = 1 - seq;
	   next = (next + 1) % 4 /* planted: also for an acknowledgement of the other bit */
	od
}

active proctype Receiver() {
	byte value, expected; bit seq, wanted;
	do
	:: forth?data,value,seq ->
		if
		:: seq == wanted ->
		   assert(value == expected);
		   expected = (expected + 1) % 4;
		   wanted = 1 - wanted
		:: else -> skip
		fi;
		back!ack,seq
	:: forth?data,_,_ -> skip /* lost */
	od
}
