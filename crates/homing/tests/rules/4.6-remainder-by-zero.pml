/*
 * 4.6  So does a remainder by zero.
 *
 * SPIN 6.5.2: verdict violated
 */
byte z;

init {
	z = 4 % z
}
