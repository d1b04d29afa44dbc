/*
 * 6.8  An argument of an inline must not contain an arrow.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
byte x;

inline set(a) { x = a }

init { set((x == 0 -> 1 : 2)) }
