/*
 * 6.4  An array of one element is an array: its index is checked.
 *
 * SPIN 6.5.2: verdict violated, first "assertion violated - invalid array index" after 3
 */
byte a[1];
byte i;

init {
	a[i] = 3;
	i = a[0];
	a[i] = 4
}
