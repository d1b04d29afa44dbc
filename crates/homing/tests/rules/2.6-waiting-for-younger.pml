/*
 * 2.6  A process at its closing brace that is not the youngest waits, and that is a valid end
 * state. The younger process blocks for good, but at an end label.
 *
 * SPIN 6.5.2: states 2, transitions 2, errors 0
 */
byte x;

active proctype Old() { x = 1 }
active proctype Young() { end: x == 2 }
