/*
 * 2.3  A selection inside a d_step none of whose options is executable is an error and ends pan:
 * blocking sel in d_step.
 *
 * SPIN 6.5.2: verdict violated, first "blocking sel in d_step" after 1
 */
byte x;

init {
	d_step {
		x = 1;
		if
		:: x == 2
		:: x == 3
		fi
	}
}
