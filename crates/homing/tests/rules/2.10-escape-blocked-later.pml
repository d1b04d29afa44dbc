/*
 * 2.10  Only the first statement of the escape is tried: once inside, the process does not come
 * back when the second blocks.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 1, first "invalid end state" after 2, shortest 2
 */
byte x;

init {
	{ x = 1; x = 2; x = 3 } unless { x == 1; x == 9 }
}
