/*
 * 2.11  A provided clause that becomes false inside an atomic sequence blocks the next step:
 * control is lost.
 *
 * SPIN 6.5.2: states 8, transitions 9, errors 0
 */
byte x;

active proctype P() provided (x != 1) { atomic { x = 1; x = 2; x = 3 } }
active proctype Q() { x == 1; x = 5 }
