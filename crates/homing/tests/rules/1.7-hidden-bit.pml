/*
 * 1.7  A bit cannot be hidden: spin refuses the declaration.
 *
 * SPIN 6.5.2: refused
 */
hidden bit b;

init { b = 1 }
