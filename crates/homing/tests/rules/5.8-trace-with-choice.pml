/*
 * 5.8  A trace automaton may branch; it takes the first branch that can follow.
 *
 * SPIN 6.5.2: states 5, transitions 6, errors 0
 */
chan c = [1] of { byte };
chan d = [1] of { byte };

active proctype P() {
	do
	:: c!1; c?1
	:: d!1; d?1; break
	od
}

trace {
	do
	:: c!1
	:: d!1; break
	od
}
