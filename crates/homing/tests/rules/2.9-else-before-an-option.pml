/*
 * 2.9  else is executable iff no option listed before it in the flattened list was. The nested
 * else stands before x == 2, so both are executable: two ways.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
byte x = 2;

init {
	if
	:: if
	   :: x == 1 -> x = 10
	   :: else -> x = 11
	   fi
	:: x == 2 -> x = 12
	fi
}
