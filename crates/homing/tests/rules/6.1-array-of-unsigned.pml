/*
 * 6.1  There are no arrays of unsigned: a syntax error.
 *
 * SPIN 6.5.2: refused "syntax error"
 */
unsigned u[2] : 3;

init { skip }
