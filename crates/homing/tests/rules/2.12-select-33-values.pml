/*
 * 2.12  32 is the limit for the difference of the bounds: 33 values are still one step.
 *
 * SPIN 6.5.2: states 67, transitions 67, errors 0
 */
byte v;

init { select(v : 0 .. 32) }
