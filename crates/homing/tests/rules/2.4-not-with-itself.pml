/*
 * 2.4  A process cannot shake hands with itself.
 *
 * SPIN 6.5.2: states 1, transitions 1, errors 1, first "invalid end state" after 0, shortest 0
 */
chan c = [0] of { byte };

init {
	if
	:: c!1
	:: c?1
	fi
}
