/*
 * 2.14  run in an expression is a step and has the new pid as its value.
 *
 * SPIN 6.5.2: states 26, transitions 46, errors 0
 */
byte p;

proctype P(byte n) { n == 1 }

init {
	p = run P(1);
	run P(p) -> p = 3;
	assert(p == 3)
}
