/*
 * 2.3  A d_step may have timeout as its guard.
 *
 * SPIN 6.5.2: states 6, transitions 6, errors 0
 */
byte x;

active proctype P() { d_step { timeout; x = 5 } }
active proctype Q() { x = 1; x = 2 }
