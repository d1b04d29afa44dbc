/*
 * 2.13  A name may be declared after an inner block that declared it, or after a process that did:
 * it is not yet visible there.
 *
 * SPIN 6.5.2: states 22, transitions 34, errors 0
 */
init {
	{ byte x = 3; assert(x == 3) };
	byte x = 1;
	assert(x == 1);
	byte y = 2;
	y = 4
}
byte y = 7;
active proctype P() { assert(y == 7) }
