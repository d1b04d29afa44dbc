/*
 * 2.2  An atomic sequence whose first statement is blocked is just blocked: no other process is
 * held up.
 *
 * SPIN 6.5.2: states 7, transitions 8, errors 0
 */
byte x;

active proctype P() { atomic { x == 2; x = 3; x = 4 } }
active proctype Q() { x = 1; x = 2 }
