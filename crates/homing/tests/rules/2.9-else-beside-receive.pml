/*
 * 2.9  else beside a receive draws a complaint, but is accepted: it is executable when no message
 * can be received.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
chan c = [1] of { byte };

init {
	if
	:: c?1
	:: else -> c!2
	fi;
	if
	:: c?1 -> assert(false)
	:: else
	fi
}
