/*
 * 4.4  A state without any process is fine.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
proctype P() { skip }

init { run P() }
