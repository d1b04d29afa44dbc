/*
 * 2.1  A label of another process in the initial value of a local variable: that of the moment the process begins.
 *
 * SPIN 6.5.2: states 27, transitions 43, errors 3, first "assertion violated" after 3, shortest 3
 */
active proctype P() {
	byte l;
	l = 1;
	there: l = 2;
	l = 3
}
proctype N() {
	bool n = P@there;
	assert(!n)
}
active proctype M() {
	run N()
}
