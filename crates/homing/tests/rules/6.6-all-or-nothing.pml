/*
 * 6.6  A receive whose constants do not all match takes nothing and assigns nothing.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
chan c = [1] of { byte, byte };
byte v;

init {
	c!5,1;
	if
	:: c?v,2 -> assert(false)
	:: c?_,1
	fi;
	assert(v == 0)
}
