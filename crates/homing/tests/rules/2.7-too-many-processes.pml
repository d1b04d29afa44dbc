/*
 * 2.7  At most 255 processes exist at a time: creating another one is an error and ends pan, it is
 * not a run that returns 0.
 *
 * SPIN 6.5.2: verdict violated, first "too many processes" after 255
 */
proctype P() { end: false }

init {
	atomic {
		do
		:: run P()
		od
	}
}
