/*
 * 2.9  Two selections at the heads of options of one selection may not both have an else: pan
 * refuses the model at its start ("inherits 2 'else' stmnts").
 *
 * SPIN 6.5.2: refused "inherits 2 'else' stmnts"
 * homing accepts it: each `else` is executable when nothing listed before it is.
 */
byte x;

init {
	if
	:: if
	   :: x == 1 -> x = 10
	   :: else -> x = 11
	   fi
	:: if
	   :: x == 2 -> x = 12
	   :: else -> x = 13
	   fi
	fi
}
