/*
 * 2.3  The error depends on the state: the d_step blocks only for the second value.
 *
 * SPIN 6.5.2: verdict violated, first "block in d_step seq" after 2
 */
byte x;

init {
	select(x : 1 .. 2);
	d_step { skip; x == 1 }
}
