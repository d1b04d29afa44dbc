/*
 * 6.4  Locals are initialised in the order of declaration.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
init {
	int i = 5;
	byte b = i + 1;
	short s = b + i;
	assert(b == 6 && s == 11)
}
