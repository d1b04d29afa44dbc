/*
 * 2.3  A remote reference in an expression inside a d_step is refused.
 *
 * SPIN 6.5.2: refused "remote reference in d_step"
 */
active proctype P() { L: skip }
active proctype Q() { d_step { P@L; skip } }
