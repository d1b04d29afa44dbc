/*
 * 2.3  run inside a d_step is refused.
 *
 * SPIN 6.5.2: refused
 */
proctype P() { skip }

init { d_step { skip; run P() } }
