/*
 * 4.4  A label on the first statement of an option draws a complaint and marks the state behind
 * the statement. In a loop that is its head again: a valid end state.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
chan c = [1] of { byte };

active proctype P() {
	c!1
}
active proctype Q() {
	do
	:: end: c?_
	od
}
