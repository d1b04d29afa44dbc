/*
 * 4.6  A remainder by zero kills pan; it is an error.
 *
 * SPIN 6.5.2: verdict violated
 */
byte z;

init {
	z = 4 % z
}
