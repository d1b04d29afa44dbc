/*
 * 2.13  A channel with its initialiser behind a statement is refused.
 *
 * SPIN 6.5.2: refused "place initialized chan decl of 'c' at start of proctype"
 */
byte x;

init {
	x = 1;
	chan c = [1] of { byte };
	c!x
}
