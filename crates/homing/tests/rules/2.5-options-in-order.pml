/*
 * 2.5  The search tries the options in textual order, else last. The first error lies at the end
 * of the longer first option.
 *
 * SPIN 6.5.2: states 9, transitions 9, errors 2, first "assertion violated" after 4, shortest 2
 */
byte x;

init {
	if
	:: else -> assert(false)
	:: x == 0 -> x = 1; x = 2; assert(false)
	:: x == 0 -> assert(false)
	fi
}
