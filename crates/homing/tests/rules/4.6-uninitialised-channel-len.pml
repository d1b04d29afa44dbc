/*
 * 4.6  Asking for the length of a channel variable that was never set is an error.
 *
 * SPIN 6.5.2: verdict violated, first "ref to uninitialized chan name" after 1
 */
chan c;
chan d = [1] of { byte };
byte x;

init {
	if
	:: false -> c = d
	:: x = len(c)
	fi
}
