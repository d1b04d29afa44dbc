/*
 * 2.1  An atomic sequence that begins with a selection is flattened into the enclosing option too.
 * One step leads to each middle of the sequence, and nothing is stored there.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
byte x, y;

init {
	if
	:: atomic { if :: x = 1 :: x = 2 fi; y = x }
	:: x = 3
	fi
}
