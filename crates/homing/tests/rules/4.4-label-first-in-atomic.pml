/*
 * 4.4  A label on the first statement inside an atomic sequence is refused.
 *
 * SPIN 6.5.2: refused "label L placed incorrectly"
 */
byte x;

init { atomic { L: x = 1; x = 2 } }
