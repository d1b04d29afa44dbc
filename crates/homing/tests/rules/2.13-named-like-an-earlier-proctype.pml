/*
 * 2.13  A local variable cannot have the name of a process type that is defined above it.
 *
 * SPIN 6.5.2: refused "saw 'process name'"
 */
proctype timer() { skip }

active proctype P() {
	byte timer;
	timer = 1
}
