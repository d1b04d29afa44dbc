/*
 * 4.6  An index out of range in the initial values of a process is an error of the run that
 * creates it.
 *
 * SPIN 6.5.2: verdict violated, first "assertion violated - invalid array index" after 2
 */
byte a[2];
byte x;

proctype P(byte i) {
	byte y = a[i];
	x = y
}

init {
	x = 1;
	run P(7)
}
