/*
 * 2.12  In the loop made from wide constant bounds the increment comes first in order, the break
 * second: the first error is the one at the largest value.
 *
 * SPIN 6.5.2: states 205, transitions 205, errors 40, first "assertion violated" after 83, shortest 3
 */
byte v;

init {
	select(v : 0 .. 40);
	assert(v == 1)
}
