/*
 * 6.6  The same variable in two fields of one receive is refused.
 *
 * SPIN 6.5.2: refused
 */
chan c = [1] of { byte, byte };
byte v;

init { c!1,2; c?v,v }
