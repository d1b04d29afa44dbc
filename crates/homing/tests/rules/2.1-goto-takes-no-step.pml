/*
 * 2.1  A goto behind another statement takes no step: its target is resolved statically. Three
 * statements and -end- make five states in a row.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
byte x;

init {
	x = 1;
	goto M;
	x = 9;
M:	x = 2;
	goto N;
N:	x = 3
}
