/*
 * 4.4  An end label inside an atomic sequence marks the state there: a process that lost control
 * may end in it.
 *
 * SPIN 6.5.2: states 2, transitions 2, errors 0
 */
byte x;

init { atomic { x = 1; end: x == 2; x = 3 } }
