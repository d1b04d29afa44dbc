/*
 * 1.7  Whether a process stands inside an atomic sequence that it has begun is not part of the
 * state. It comes to L by blocking in the atomic sequence, or by the jump into it, and that is the
 * same state.
 *
 * SPIN 6.5.2: states 9, transitions 15, errors 0
 */
bool go;

active proctype P() {
	if
	:: atomic { skip; L: go; skip }
	:: goto L
	fi
}
active proctype Q() { go = true }
