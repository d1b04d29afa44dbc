/*
 * 2.9  Beside a poll or len there is no complaint: these are conditions.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
chan c = [1] of { byte };

init {
	if
	:: c?[1] -> assert(false)
	:: len(c) > 0 -> assert(false)
	:: else
	fi
}
