/*
 * 6.6  !! inserts the message before the first one that is larger, the fields compared from left
 * to right.
 *
 * SPIN 6.5.2: states 10, transitions 10, errors 0
 */
chan c = [4] of { byte, short };

init {
	c!!2,1;
	c!!1,9;
	c!!2,-1;
	c!!1,9;
	c?1,9; c?1,9; c?2,-1; c?2,1
}
