/*
 * 2.3  Whether a d_step blocks in its middle depends on the state: here it does for the second
 * value only.
 *
 * SPIN 6.5.2: verdict violated, first "block in d_step seq" after 2
 */
byte x;

init {
	select(x : 1 .. 2);
	d_step { skip; x == 1 }
}
