/*
 * 2.12  for (m in c) over a channel of one typedef rotates the channel: each message is received
 * and sent back, with a counter of its own.
 *
 * SPIN 6.5.2: states 20, transitions 20, errors 0
 */
typedef Msg { byte a; byte b };
chan c = [3] of { Msg };
byte sum;

init {
	Msg m;
	m.a = 1; m.b = 10;
	c!m;
	m.a = 2;
	c!m;
	for (m in c) {
		sum = sum + m.a + m.b
	};
	assert(sum == 23 && len(c) == 2)
}
