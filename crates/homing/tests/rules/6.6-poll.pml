/*
 * 6.6  ?[..] is a condition that assigns nothing; ??[..] looks at all messages.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
chan c = [2] of { byte, byte };
byte v;

init {
	assert(!c?[1,v]);
	c!1,5; c!2,6;
	assert(c?[1,v] && !c?[2,v] && c??[2,6] && !c??[2,7]);
	assert(c??[2,eval(v + 6)] && v == 0 && len(c) == 2)
}
