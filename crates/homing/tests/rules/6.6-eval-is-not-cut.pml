/*
 * 6.6  eval compares the full value of the expression.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
chan c = [1] of { byte };
int v = 300;

init {
	c!v;
	if
	:: c?eval(v) -> assert(false)
	:: c?eval(v - 256)
	fi
}
