/*
 * 1.7  _last is not part of the state in a model that does not mention it. Compare
 * 1.7-last-mentioned.
 *
 * SPIN 6.5.2: states 13, transitions 19, errors 0
 */
active [2] proctype P() {
	skip;
	assert(true)
}
