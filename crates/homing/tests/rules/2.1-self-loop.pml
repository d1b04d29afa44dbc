/*
 * 2.1  A loop whose only step is an unconditional skip back to itself is refused by pan at its
 * start.
 *
 * SPIN 6.5.2: refused "has unconditional self-loop"
 * homing accepts it: it is a process that goes round for ever.
 */
init { do :: skip od }
