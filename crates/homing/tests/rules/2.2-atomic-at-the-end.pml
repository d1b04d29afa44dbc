/*
 * 2.2  The end of the process does not belong to an atomic sequence that ends with it: the other
 * process may move before -end-.
 *
 * SPIN 6.5.2: states 8, transitions 10, errors 0
 */
byte x;

active proctype P() { x == 1; x = 2 }
active proctype Q() { atomic { x = 5; x = 1 } }
