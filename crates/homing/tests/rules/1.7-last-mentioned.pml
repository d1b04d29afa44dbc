/*
 * 1.7  _last, the process that moved last, is part of the state in a model that mentions it. The
 * same model without the assertion, 1.7-last-not-mentioned, has fewer states.
 *
 * SPIN 6.5.2: states 19, transitions 27, errors 0
 */
active [2] proctype P() {
	skip;
	assert(_last != 7)
}
