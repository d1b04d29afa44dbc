/*
 * 4.4  A label on the first statement inside a d_step is refused.
 *
 * SPIN 6.5.2: refused "label L placed incorrectly"
 */
byte x;

init { d_step { L: x = 1; x = 2 } }
