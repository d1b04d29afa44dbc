/*
 * 2.9  A nested else that stands behind an executable option in the flattened list is not
 * executable: one way.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
byte x = 2;

init {
	if
	:: x == 2 -> x = 12
	:: if
	   :: x == 1 -> x = 10
	   :: else -> x = 11
	   fi
	fi
}
