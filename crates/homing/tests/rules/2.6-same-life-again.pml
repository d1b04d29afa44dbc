/*
 * 2.6  A process is created and dies in a loop: the states of its second life are those of the
 * first.
 *
 * SPIN 6.5.2: states 4, transitions 5, errors 0
 */
proctype P() { skip }

init {
	do
	:: _nr_pr == 1 -> run P()
	od
}
