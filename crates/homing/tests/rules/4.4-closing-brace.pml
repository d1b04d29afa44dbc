/*
 * 4.4  A state in which nothing can move is valid if each process is at its closing brace or at an
 * end label. Here one process is at neither.
 *
 * SPIN 6.5.2: states 1, transitions 1, errors 1, first "invalid end state" after 0, shortest 0
 */
byte x;

active proctype A() { x == 1 }
active proctype B() { end: x == 1 }
