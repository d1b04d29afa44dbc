/*
 * 6.4  The initial value of a field cannot name a variable.
 *
 * SPIN 6.5.2: refused "undeclared variable: g"
 */
byte g = 4;
typedef T { byte a = g + 1 };
T x;

init { assert(x.a == 5) }
