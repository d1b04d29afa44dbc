/*
 * 2.7  A model without a process that is active or init is refused.
 *
 * SPIN 6.5.2: refused "no runable process"
 */
proctype P() { skip }
