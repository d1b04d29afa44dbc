/*
 * 6.6  The same variable in two fields of one receive is refused.
 *
 * SPIN 6.5.2: refused "cannot use var ('v') in multiple msg fields"
 */
chan c = [1] of { byte, byte };
byte v;

init { c!1,2; c?v,v }
