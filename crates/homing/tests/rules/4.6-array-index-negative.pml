/*
 * 4.6  A negative index is out of range, also where it is only read.
 *
 * SPIN 6.5.2: verdict violated, first "assertion violated - invalid array index" after 2
 */
byte a[2];
short i;
byte x;

init {
	i = -1;
	x = a[i]
}
