/*
 * 2.11  A provided clause is not looked at inside a d_step.
 *
 * SPIN 6.5.2: states 7, transitions 9, errors 0
 */
byte x;

active proctype P() provided (x != 1) { d_step { x = 1; x = 2; x = 3 } }
active proctype Q() { assert(x == 0 || x == 3) }
