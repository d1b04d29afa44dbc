/*
 * 2.13  Equal names in sibling blocks are fine and are different variables. Each declaration is a
 * step.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 0
 */
byte x = 1;

init {
	{ byte y = 5; x = y };
	{ byte y; assert(y == 0); x = x + y };
	assert(x == 5)
}
