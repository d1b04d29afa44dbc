/*
 * 6.6  ?<..> assigns but does not remove; ??<..> does so for the oldest that matches.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 0
 */
chan c = [2] of { byte, byte };
byte v;

init {
	c!1,5; c!2,6;
	c?<1,v>;
	assert(v == 5 && len(c) == 2);
	c??<2,v>;
	assert(v == 6 && len(c) == 2)
}
