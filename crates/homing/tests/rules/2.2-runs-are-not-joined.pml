/*
 * 2.2  Different runs through one atomic sequence are not joined in between. Four runs end in one
 * state: one stored, three matched.
 *
 * SPIN 6.5.2: states 3, transitions 6, errors 0
 */
byte x;

init {
	atomic {
		if :: x = 1 :: x = 2 fi;
		if :: x = 3 :: x = 4 fi;
		x = 0
	}
}
