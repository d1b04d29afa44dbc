/*
 * 6.8  An argument of an inline must not be two statements with an arrow in between.
 *
 * SPIN 6.5.2: refused "syntax error"
 */
byte x;

inline do_it(a) { a; x = 1 }

init { do_it(x == 0 -> skip) }
