/*
 * 6.4  A field cannot be hidden, only a whole variable.
 *
 * SPIN 6.5.2: refused "cannot hide non-globals"
 */
typedef T { hidden byte a = 5 };
T x;

init { assert(x.a == 5) }
