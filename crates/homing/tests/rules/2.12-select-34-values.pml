/*
 * 2.12  With 34 values select is a loop: v = 0; do :: v < 33 -> v++ :: break od.
 *
 * SPIN 6.5.2: states 136, transitions 136, errors 0
 */
byte v;

init { select(v : 0 .. 33) }
