/*
 * 4.6  Receiving from a channel variable that was never set is an error and ends pan.
 *
 * SPIN 6.5.2: verdict violated, first "ref to uninitialized chan name" after 6
 */
chan d = [1] of { byte };

proctype P(chan c) { c?1 }

init {
	chan e;
	d!1;
	run P(d);
	run P(e)
}
