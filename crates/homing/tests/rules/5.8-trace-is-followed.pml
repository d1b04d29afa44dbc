/*
 * 5.8  A trace automaton follows the sends and receives on its channels. It is part of the state;
 * a run that it can follow is no error.
 *
 * SPIN 6.5.2: states 3, transitions 5, errors 0
 */
chan c = [1] of { byte };
chan d = [1] of { byte };

active proctype P() {
	do
	:: c!1 -> c?_
	:: d!1 -> d?_
	od
}

trace {
	do
	:: c!1; c?_
	od
}
