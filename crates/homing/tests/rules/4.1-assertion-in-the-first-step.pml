/*
 * 4.1  An assertion that fails in the very first step has a trail of one line, the failing step
 * included.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 1, first "assertion violated" after 1, shortest 1
 */
init { assert(false) }
