/*
 * 2.3  run inside a d_step is refused.
 *
 * SPIN 6.5.2: refused "run operator in d_step"
 */
proctype P() { skip }

init { d_step { skip; run P() } }
