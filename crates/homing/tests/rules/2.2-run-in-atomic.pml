/*
 * 2.2  Processes created inside an atomic sequence move only after it. The sum is complete before
 * any of them reads it.
 *
 * SPIN 6.5.2: states 9, transitions 11, errors 0
 */
byte sum;

proctype P(byte n) { assert(sum == 3 && n > 0) }

init { atomic { sum = 1; run P(1); sum = 2; run P(2); sum = 3 } }
