/*
 * 5.8  The control state of a trace automaton is part of the state: the two sends look alike to
 * the process, but not to the trace.
 *
 * SPIN 6.5.2: states 4, transitions 5, errors 0
 */
chan c = [1] of { byte };

active proctype P() {
	do
	:: c!1 -> c?_
	od
}

trace {
	do
	:: c!1; c?_; c!1; c?_
	od
}
