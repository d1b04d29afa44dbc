/*
 * 4.6  A receive with another number of fields than the channel has is an error at run time where
 * spin cannot see it.
 *
 * SPIN 6.5.2: verdict violated, first "missing pars in receive" after 3
 */
chan c = [1] of { byte, byte };

proctype P(chan d) { byte v; d?v }

init {
	c!1,2;
	run P(c)
}
