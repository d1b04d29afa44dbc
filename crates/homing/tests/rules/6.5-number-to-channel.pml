/*
 * 6.5  A number cannot be assigned to a channel variable.
 *
 * SPIN 6.5.2: refused "invalid asgn to chan"
 */
chan c = [1] of { byte };
chan d;

init { d = 1 }
