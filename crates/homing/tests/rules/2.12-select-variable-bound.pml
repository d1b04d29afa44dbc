/*
 * 2.12  select with a bound that is not a number is a loop: v = a, then v++ or break, the break
 * first in order.
 *
 * SPIN 6.5.2: states 15, transitions 15, errors 2, first "assertion violated" after 5, shortest 5
 */
byte v, n = 3;

init {
	select(v : 1 .. n);
	assert(v == 1)
}
