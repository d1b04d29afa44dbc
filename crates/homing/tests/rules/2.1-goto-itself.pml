/*
 * 2.1  A goto to itself is refused.
 *
 * SPIN 6.5.2: refused "infinite goto loop"
 */
init { L: goto L }
