/*
 * 6.6  !! looks for the first larger message from the head on, also in a channel that is not
 * sorted.
 *
 * SPIN 6.5.2: states 8, transitions 8, errors 0
 */
chan c = [4] of { byte };

init {
	c!5; c!1;
	c!!3;
	c?3; c?5; c?1
}
