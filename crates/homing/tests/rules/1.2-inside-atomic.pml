/*
 * 1.2  The states inside an atomic sequence are not stored. Of the four assignments only the last
 * leaves a stored state: initial, x = 4, after -end-.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
byte x;

init { atomic { x = 1; x = 2; x = 3; x = 4 } }
