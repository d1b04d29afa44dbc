/*
 * 2.2  A loop inside an atomic sequence is run through without a stored state: there are three
 * states.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
byte x;

init {
	atomic {
		do
		:: x < 6 -> x++
		:: else -> break
		od
	}
}
