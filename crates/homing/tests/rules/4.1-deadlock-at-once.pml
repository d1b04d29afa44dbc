/*
 * 4.1  A deadlock in the initial state has a trail of no lines.
 *
 * SPIN 6.5.2: states 1, transitions 1, errors 1, first "invalid end state" after 0, shortest 0
 */
init { 1 == 2 }
