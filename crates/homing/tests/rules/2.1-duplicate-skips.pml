/*
 * 2.1  In an option of if or do a skip without a label that follows another one, or a printf, is
 * taken out unless it is the last statement of the option. Outside of options every skip stays.
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
