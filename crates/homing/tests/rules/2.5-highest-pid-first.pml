/*
 * 2.5  The search tries the process with the highest pid first. The first error is the assertion
 * of the last process, although the first one fails sooner.
 *
 * SPIN 6.5.2: states 11, transitions 15, errors 7, first "assertion violated" after 3, shortest 1
 */
byte x;

active proctype A() { assert(false) }
active proctype B() { x = 1; x = 2; assert(false) }
