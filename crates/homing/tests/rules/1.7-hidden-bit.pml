/*
 * 1.7  A bit cannot be hidden: spin refuses the declaration.
 *
 * SPIN 6.5.2: refused "bit variable (b) cannot be hidden"
 */
hidden bit b;

init { b = 1 }
