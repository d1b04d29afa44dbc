/*
 * 2.13  A local variable, a parameter or a field can have the name of a process type that is
 * defined later, which can still be run.
 *
 * SPIN 6.5.2: states 11, transitions 13, errors 0
 */
typedef T { byte clock };
T t;

active proctype P(byte timer) {
	byte clock[3];
	timer = 1;
	clock[1] = 2;
	t.clock = 3;
	run clock();
	assert(timer == 1 && clock[1] == 2 && t.clock == 3)
}

proctype timer() { skip }

proctype clock() { skip }
