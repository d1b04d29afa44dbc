/*
 * 2.13  A declaration in an inner block is a step, also if the block is the first thing in the
 * body.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
init {
	{ byte y = 5; assert(y == 5) }
}
