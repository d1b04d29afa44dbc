/*
 * 2.1  `-->` is `->`, also where a variable stands in front of it: `x-->y` decrements nothing.
 *
 * SPIN 6.5.2: states 12, transitions 12, errors 0
 */
byte x, y;

init {
	if
	:: x == 0 --> y = 1
	fi;
	if
	:: x-->y = 2
	:: else --> y = 3
	fi;
	assert(y == 3);
	y = (x > 0 --> 1 : 2);
	assert(y == 2);
	y-- -> skip;
	assert(y == 1 && x == 0)
}
