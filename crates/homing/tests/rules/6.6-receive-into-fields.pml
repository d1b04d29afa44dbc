/*
 * 6.6  A receive may assign to array elements and fields.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
typedef T { byte a; byte b[2] };
chan c = [1] of { byte, byte, byte };
T t;
byte x[2];

init {
	c!1,2,3;
	c?t.a,t.b[1],x[1];
	assert(t.a == 1 && t.b[1] == 2 && x[1] == 3)
}
