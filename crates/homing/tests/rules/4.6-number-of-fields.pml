/*
 * 4.6  A message with another number of fields than the channel has is an error at run time where
 * spin cannot see it, because the channel is a parameter.
 *
 * SPIN 6.5.2: verdict violated, first "too few parameters in send stmnt" after 2
 */
chan c = [1] of { byte, byte };

proctype P(chan d) { d!1 }

init { run P(c) }
