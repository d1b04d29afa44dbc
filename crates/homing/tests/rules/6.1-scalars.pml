/*
 * 6.1  Storing cuts a value to the type: byte and mtype keep 8 bits without sign, short 16 with
 * sign, bit and bool the lowest bit, unsigned its n bits.
 *
 * SPIN 6.5.2: states 12, transitions 12, errors 0
 */
mtype = { red };
bit t;
bool o;
byte b;
pid p;
mtype m;
short s;
int i;
unsigned u : 3;

init {
	t = 2; o = 3; b = 257; p = -1; m = 258; s = 32768; i = 65536; u = 13;
	assert(t == 0 && o == 1 && b == 1 && p == 255 && m == 2);
	assert(s == -32768 && i == 65536 && u == 5)
}
