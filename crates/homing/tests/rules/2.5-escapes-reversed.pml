/*
 * 2.5  The options at the head of an escape are tried in reverse textual order. The first error
 * lies at the end of the last option.
 *
 * SPIN 6.5.2: states 13, transitions 13, errors 3, first "assertion violated" after 4, shortest 2
 */
byte x;

init {
	{ x = 9 } unless {
		if
		:: x == 0 -> assert(false)
		:: x == 0 -> x = 1; assert(false)
		:: x == 0 -> x = 1; x = 2; assert(false)
		fi
	}
}
