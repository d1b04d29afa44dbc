/*
 * 2.1  A remote reference to a label of a proctype that is declared further down is refused.
 *
 * SPIN 6.5.2: refused "undeclared variable: P"
 * homing accepts it: process types need not be defined before they are referred to.
 */
active proctype Q() { P[1]@L }
active proctype P() { L: skip }
