/*
 * 2.12  break leaves a for loop at once and the variable keeps its value.
 *
 * SPIN 6.5.2: states 12, transitions 12, errors 0
 */
byte i;

init {
	for (i : 0 .. 9) {
		if
		:: i == 2 -> break
		:: else
		fi
	};
	assert(i == 2)
}
