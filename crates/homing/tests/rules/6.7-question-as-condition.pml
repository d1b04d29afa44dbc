/*
 * 6.7  full, empty, nfull and nempty are refused as the condition of (c -> a : b).
 *
 * SPIN 6.5.2: refused "syntax error"
 */
chan c = [1] of { byte };
byte x;

init { x = (full(c) -> 1 : 2) }
