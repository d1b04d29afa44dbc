/*
 * 2.1  A goto at the very beginning takes no step either: the process starts at the target.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
byte x;

init {
	goto M;
	x = 9;
M:	x = 1
}
