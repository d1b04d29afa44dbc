/*
 * 6.5  A channel is refused as an operand on the right-hand side of an assignment or initialiser.
 *
 * SPIN 6.5.2: refused "invalid use of chan name"
 */
chan c = [1] of { byte };
byte x;

init { x = c + 1 }
