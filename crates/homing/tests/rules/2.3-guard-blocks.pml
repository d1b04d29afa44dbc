/*
 * 2.3  The first statement of a d_step is its guard: the d_step waits until it is executable.
 *
 * SPIN 6.5.2: states 7, transitions 8, errors 0
 */
byte x;

active proctype P() { d_step { x == 2; x = 3; x = 4 } }
active proctype Q() { x = 1; x = 2 }
