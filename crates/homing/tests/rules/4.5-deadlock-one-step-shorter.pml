/*
 * 4.5  A deadlock may be one step nearer than another one. pan -i overlooks it, so the test asks
 * once more with a raised limit.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 3, first "invalid end state" after 3, shortest 2
 */
short x;

active proctype A() { x = 2; x >= 2 }
active proctype B() { x = 1; false }
