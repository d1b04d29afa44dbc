/*
 * 2.1  A selection at the head of an option is flattened into the enclosing one. All four ways out
 * of the initial state are alternatives of one control state.
 *
 * SPIN 6.5.2: states 9, transitions 9, errors 0
 */
byte x;

init {
	if
	:: if
	   :: x = 1
	   :: do :: x = 2 -> break :: x = 3 -> break od
	   fi
	:: x = 4
	fi
}
