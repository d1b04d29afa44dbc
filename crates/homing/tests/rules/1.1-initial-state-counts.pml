/*
 * 1.1  Storing the initial state counts as a transition. Nothing ever moves here, and there is one
 * state and one transition.
 *
 * SPIN 6.5.2: states 1, transitions 1, errors 0
 */
init { end: false }
