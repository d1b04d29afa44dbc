/*
 * 4.6  A channel that died with its process is a bad queue: using it is an error.
 *
 * SPIN 6.5.2: verdict violated, first "bad queue - q_full" after 5
 */
chan keep;

proctype P() {
	chan own = [1] of { byte };
	keep = own
}

init {
	run P();
	_nr_pr == 1;
	keep!1
}
