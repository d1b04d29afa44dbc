/*
 * 2.3  A loop that is followed by a d_step at once is refused, because its break is a jump to the
 * beginning of it.
 *
 * SPIN 6.5.2: refused "jump into d_step sequence"
 */
byte x;

init {
	do
	:: x == 0 -> break
	od;
	d_step { x = 2; x = 3 }
}
