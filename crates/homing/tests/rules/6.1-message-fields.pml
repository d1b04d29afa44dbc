/*
 * 6.1  byte, mtype, short and int fields of a message are cut like variables.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
chan c = [1] of { byte, short, int, mtype, chan };
int a, b, d, e, f;

init {
	c!256 + 7, 32769, 70000, 300, 513;
	c?a,b,d,e,f;
	assert(a == 7 && b == -32767 && d == 70000 && e == 44 && f == 1)
}
