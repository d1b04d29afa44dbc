/*
 * 6.6  All constants and evals are compared with the values from before the receive, then the
 * variables are assigned.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 1, first "assertion violated" after 3, shortest 3
 */
chan c = [1] of { byte, byte };
byte v = 1;

init {
	c!2,1;
	if
	:: c?v,eval(v) -> assert(v == 2)
	:: c?_,2 -> assert(false)
	fi
}
