/*
 * 1.7  A remote reference to a variable of a proctype that is declared further down is refused.
 *
 * SPIN 6.5.2: refused "undeclared variable: P"
 */
active proctype Q() { P[1]:x == 0 }
active proctype P() { byte x; x = 1 }
