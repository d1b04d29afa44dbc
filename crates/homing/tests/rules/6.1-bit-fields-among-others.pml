/*
 * 6.1  A bit or bool field of a message with more than one field keeps one bit.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
chan c = [1] of { bit, bool, byte };
byte v, w;

init {
	c!3,2,258;
	c?v,w,2;
	assert(v == 1 && w == 0)
}
