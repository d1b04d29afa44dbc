/*
 * 2.15  A process in the middle of an atomic sequence goes on only as long as no process of higher
 * priority is executable.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
byte x;

active proctype Low() { atomic { x = 1; x = 2; x = 3 } }
active proctype High() priority 2 { x == 2; x = 5 }
