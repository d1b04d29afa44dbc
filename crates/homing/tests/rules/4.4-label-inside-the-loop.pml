/*
 * 4.4  The state behind an end label is not marked: the process that blocks in the middle of the
 * loop is at an invalid end state.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 1, first "invalid end state" after 6, shortest 6
 */
byte x;

init {
end:	do
	:: x < 2 -> x++
	:: x == 2 -> x = 3; x == 4
	od
}
