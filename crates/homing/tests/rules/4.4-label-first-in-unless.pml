/*
 * 4.4  A label on the first statement of an escape is refused.
 *
 * SPIN 6.5.2: refused "label L placed incorrectly"
 */
byte x;

init { x = 1 unless L: x == 1 }
