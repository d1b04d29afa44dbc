/*
 * 2.1  In an option of if or do a skip that follows a skip or a printf without a label is taken
 * out, but for the first and the last statement. Outside of options every skip stays.
 *
 * SPIN 6.5.2: states 16, transitions 16, errors 0
 */
byte x;

init {
	if
	:: skip; skip; skip; skip; x = 1
	:: x = 2; skip; printf("x\n"); skip; L: skip; skip
	fi;
	skip; skip; skip
}
