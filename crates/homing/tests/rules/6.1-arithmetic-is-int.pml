/*
 * 6.1  Arithmetic is done in 32 bits, whatever the types of the operands: only storing cuts.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
byte b = 200;
short s = 32767;

init {
	assert(b + b == 400);
	assert(s + 1 == 32768);
	assert(b * b * b == 8000000);
	b = b + b;
	assert(b == 144)
}
