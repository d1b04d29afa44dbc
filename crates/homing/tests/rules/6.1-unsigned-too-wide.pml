/*
 * 6.1  An unsigned variable of 32 bits is refused.
 *
 * SPIN 6.5.2: refused "(u) has invalid width-field"
 */
unsigned u : 32;

init { u = 1 }
