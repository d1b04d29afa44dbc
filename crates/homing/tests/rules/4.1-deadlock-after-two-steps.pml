/*
 * 4.1  The trail to a deadlock has exactly the steps that lead to it.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 1, first "invalid end state" after 2, shortest 2
 */
byte x;

init { x = 1; x = 2; x == 3 }
