/*
 * 2.11  A process held back by its provided clause does not keep timeout from being true.
 *
 * SPIN 6.5.2: states 6, transitions 7, errors 0
 */
byte x;

active proctype P() provided (x == 1) { x = 2 }
active proctype Q() { timeout; x = 1 }
