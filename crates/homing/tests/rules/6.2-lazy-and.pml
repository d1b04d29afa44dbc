/*
 * 6.2  && does not look at its right side when the left one is false: no index error.
 *
 * SPIN 6.5.2: states 1, transitions 1, errors 1, first "invalid end state" after 0, shortest 0
 */
byte a[2];
byte i = 5;

init {
	i < 2 && a[i] == 0 -> skip
}
