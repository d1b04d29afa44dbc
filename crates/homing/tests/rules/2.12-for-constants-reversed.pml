/*
 * 2.12  A for whose constant lower bound is above the upper one is refused.
 *
 * SPIN 6.5.2: refused "start value for i exceeds end-value"
 */
byte i;

init {
	for (i : 3 .. 1) { skip }
}
