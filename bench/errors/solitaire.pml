/* Peg solitaire: a peg jumps over a neighbour into a hole, and the neighbour is taken away. The assertion says that no game ends with a
 * single peg; one that does is an error. The board has W columns and H rows, without squares of CORNER by CORNER at its corners; the
 * hole is in the middle. With -D BLIND the pegs are counted at the end only, so that no estimate knows how many are left.
 */
#ifndef W
#define W 7
#endif
#ifndef H
#define H 7
#endif
#ifndef HOLE
#define HOLE (W * H / 2)
#endif
#ifndef CORNER
#define CORNER 2
#endif

#define X(at) ((at) % W)
#define Y(at) ((at) / W)
#define OFF(x) ((x) < CORNER || (x) >= W - CORNER)
#define INSIDE(at) (!(OFF(X(at)) && ((Y(at)) < CORNER || (Y(at)) >= H - CORNER)))

bit peg[W * H];
#ifdef BLIND
#define COUNT
#else
#define COUNT pegs++;
byte pegs;
#endif

active proctype Player() {
	byte at, left;
	d_step {
		at = 0;
		do
		:: at < W * H && INSIDE(at) && at != HOLE -> peg[at] = 1; COUNT at++
		:: at < W * H && !(INSIDE(at) && at != HOLE) -> at++
		:: else -> break
		od;
		at = 0
	}
	do
#ifndef BLIND
	:: pegs == 1 -> assert(false)
	:: else ->
#else
	::
#endif
		atomic {
			select(at : 0 .. W * H - 1);
			if
			:: peg[at] && X(at) >= 2 && peg[at - 1] && INSIDE(at - 2) && !peg[at - 2] ->
				d_step { peg[at] = 0; peg[at - 1] = 0; peg[at - 2] = 1 }
			:: peg[at] && X(at) < W - 2 && peg[at + 1] && INSIDE(at + 2) && !peg[at + 2] ->
				d_step { peg[at] = 0; peg[at + 1] = 0; peg[at + 2] = 1 }
			:: peg[at] && Y(at) >= 2 && peg[at - W] && INSIDE(at - 2 * W) && !peg[at - 2 * W] ->
				d_step { peg[at] = 0; peg[at - W] = 0; peg[at - 2 * W] = 1 }
			:: peg[at] && Y(at) < H - 2 && peg[at + W] && INSIDE(at + 2 * W) && !peg[at + 2 * W] ->
				d_step { peg[at] = 0; peg[at + W] = 0; peg[at + 2 * W] = 1 }
			:: else -> goto lost
			fi;
#ifndef BLIND
			pegs--;
#endif
			at = 0
		}
	od;
lost:	skip;
	d_step {
		at = 0;
		left = 0;
		do
		:: at < W * H -> left = left + peg[at]; at++
		:: else -> break
		od;
		at = 0
	}
	assert(left > 1);
	false
}
