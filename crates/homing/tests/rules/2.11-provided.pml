/*
 * 2.11  A process takes no step while its provided clause is false.
 *
 * SPIN 6.5.2: states 10, transitions 12, errors 0
 */
byte x;

active proctype P() provided (x != 1) { x = 1; x = 2; assert(x == 2) }
active proctype Q() { x == 1; x = 3 }
