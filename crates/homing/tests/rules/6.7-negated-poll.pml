/*
 * 6.7  A poll may be negated, and len may be used in arithmetic.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
chan c = [2] of { byte };

init {
	!c?[1];
	c!1;
	len(c) + 1 == 2
}
