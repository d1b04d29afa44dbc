/*
 * 2.1  A label must not have the name of a variable.
 *
 * SPIN 6.5.2: refused "bad label-name x"
 */
byte x;

init { x: x = 1 }
