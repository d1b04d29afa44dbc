/*
 * 4.4  An end label on do, if, atomic or d_step marks the state in front of it.
 *
 * SPIN 6.5.2: states 1, transitions 1, errors 0
 */
byte x;

active proctype A() { end: do :: x == 1 -> x = 2 od }
active proctype B() { end: if :: x == 2 -> x = 3 fi }
active proctype C() { end: atomic { x == 3; x = 4 } }
active proctype D() { end: d_step { x == 4; x = 5 } }
