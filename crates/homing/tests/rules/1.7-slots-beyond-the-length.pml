/*
 * 1.7  What a channel held once does not matter when it is empty again. The two options send
 * different messages and meet in one state.
 *
 * SPIN 6.5.2: states 5, transitions 6, errors 0
 */
chan c = [2] of { byte, byte };

init {
	if
	:: c!1,2 -> c?_,_
	:: c!3,4 -> c?_,_
	fi
}
