/*
 * 2.8  When nothing else can move several timeouts are alternatives. Each process may be the
 * first.
 *
 * SPIN 6.5.2: states 11, transitions 12, errors 0
 */
byte x;

active [2] proctype P() {
	timeout -> x++
}
