/*
 * 2.8  timeout is false as long as another process can move, and true when the others are at their
 * end or blocked.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
byte x;

active proctype P() { timeout; assert(x == 2) }
active proctype Q() { x = 1; x = 2; end: x == 3 }
