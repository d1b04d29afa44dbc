/*
 * 6.7  full, empty, nfull and nempty are refused as operands of arithmetic or comparison.
 *
 * SPIN 6.5.2: refused "syntax error"
 */
chan c = [1] of { byte };

init { full(c) == 0 }
