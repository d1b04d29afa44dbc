/*
 * 6.6  c!m(x) and c?m(x) are another way to write c!m,x and c?m,x.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
mtype = { ack, data };
chan c = [2] of { mtype, byte };
byte v;

init {
	c!data(7);
	c?data(v);
	assert(v == 7);
	c!ack,3;
	c?ack(eval(v - 4))
}
