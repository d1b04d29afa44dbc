/*
 * 2.3  A d_step is one step, one transition and one line of the trail, whatever is inside.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 1, first "assertion violated" after 2, shortest 2
 */
byte x;

init {
	d_step {
		do
		:: x < 5 -> x++
		:: else -> break
		od;
		x = x * 2
	};
	assert(x != 10)
}
