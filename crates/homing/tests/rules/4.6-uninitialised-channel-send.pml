/*
 * 4.6  Sending to a channel variable that was never set is an error. pan goes on after it, with
 * arbitrary values.
 *
 * SPIN 6.5.2: verdict violated, first "ref to uninitialized chan name" after 2
 */
chan c;
chan d = [1] of { byte };

init {
	if
	:: c = d
	:: skip
	fi;
	c!2
}
