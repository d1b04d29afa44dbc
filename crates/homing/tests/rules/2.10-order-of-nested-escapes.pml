/*
 * 2.10  Of nested escapes the outer one is taken, and then the inner one is not even an
 * alternative. The first error is behind the last option of the outer escape.
 *
 * SPIN 6.5.2: states 10, transitions 10, errors 2, first "assertion violated" after 4, shortest 3
 */
byte x;

init {
	{ { x = 9 } unless { x == 0 -> assert(false) } } unless {
		if
		:: x == 0 -> x = 3; assert(false)
		:: x == 0 -> x = 1; x = 2; assert(false)
		fi
	}
}
