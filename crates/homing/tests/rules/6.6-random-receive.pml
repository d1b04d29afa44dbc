/*
 * 6.6  ?? takes the oldest message that matches entirely, wherever it is.
 *
 * SPIN 6.5.2: states 10, transitions 10, errors 0
 */
chan c = [3] of { byte, byte };
byte v;

init {
	c!1,5; c!2,6; c!2,7;
	c??2,v;
	assert(v == 6);
	c??v,7;
	assert(v == 2);
	c?1,5
}
