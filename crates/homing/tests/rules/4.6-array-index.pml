/*
 * 4.6  An index out of range is an error; pan goes on with whatever it finds there, so only the
 * first error counts.
 *
 * SPIN 6.5.2: verdict violated, first "assertion violated - invalid array index" after 2
 */
byte a[2];
byte i;

init {
	i = 2;
	a[i] = 1
}
