/*
 * 1.3  atomic steps counts the steps taken with the atomic mark, each time they are executed, and
 * they are no transitions. Both processes run their sequence in every order.
 *
 * SPIN 6.5.2: states 7, transitions 9, atomic steps 10, errors 0
 */
byte x;

active [2] proctype P() { atomic { x++; x++; x++ } }
