/*
 * 6.7  ! before full, empty, nfull or nempty is refused.
 *
 * SPIN 6.5.2: refused "syntax error"
 */
chan c = [1] of { byte };

init { !full(c) }
