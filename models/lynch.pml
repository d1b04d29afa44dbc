/* Lynch's protocol for a line that garbles messages. Two ends take turns; every message has an item of data and tells
 * whether the one before it came well. Whoever gets a garbled message repeats its own with `bad`; whoever gets `bad` repeats
 * its own with `good`, and keeps the item that came with it. So an item is taken twice when the line garbles the right
 * messages: each end expects the items of the other in order. With -D CORRECT messages have a number that alternates, and
 * an item whose number was seen is not taken again: states 860, transitions 951, no error. Items are counted modulo
 * ITEMS, by -D ITEMS=8.
 *
 * SPIN 6.5.2: states 1884, transitions 2085, errors 64, first "assertion violated" after 75, shortest 25
 */
#ifndef ITEMS
#define ITEMS 2
#endif

mtype = { good, bad, garbled };
chan out[2] = [1] of { mtype, byte, bit };	/* from an end to the line */
chan in[2] = [1] of { mtype, byte, bit };	/* and from the line to an end */

proctype End(bit me; bool begins) {
	byte item, got, expected;
	bit number, seen = 1, other;
	mtype how;
	if
	:: begins -> out[me]!bad, item, number	/* nothing came yet */
	:: else
	fi;
end:	do
	:: in[me]?how, got, other ->
		if
		:: how == garbled -> out[me]!bad, item, number
		:: else ->
#ifdef CORRECT
			if
			:: other != seen ->
				seen = other;
				assert(got == expected);
				expected = (expected + 1) % ITEMS
			:: else
			fi;
#else
			assert(got == expected);
			expected = (expected + 1) % ITEMS;
#endif
			if
			:: how == good -> item = (item + 1) % ITEMS; number = 1 - number
			:: how == bad
			fi;
			out[me]!good, item, number
		fi
	od
}

proctype Line(bit from, to) {
	byte item;
	bit number;
	mtype how;
end:	do
	:: out[from]?how, item, number ->
		if
		:: in[to]!how, item, number
		:: in[to]!garbled, 0, 0
		fi
	od
}

init {
	atomic {
		run End(0, true);
		run End(1, false);
		run Line(0, 1);
		run Line(1, 0)
	}
}
