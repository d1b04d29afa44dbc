/*
 * 6.6  A send cuts each value to the type of its field; a receive compares constants uncut with
 * what is stored. 300 is stored as 44, so the second receive waits for ever.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 1, first "invalid end state" after 3, shortest 3
 */
chan c = [1] of { byte };

init {
	c!300;
	c?44;
	c!300;
	c?300
}
