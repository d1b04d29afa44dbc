/*
 * 2.7  Two init processes are accepted and run side by side.
 *
 * SPIN 6.5.2: states 10, transitions 11, errors 0
 */
byte x;

init { x = 1 }
init { x = 2 }
