/*
 * 1.7  The write-only variable _ is not part of the state. Assigning to it, or receiving into it,
 * adds nothing: the loop has one state per length of the channel.
 *
 * SPIN 6.5.2: states 5, transitions 8, errors 0
 */
chan c = [1] of { byte };

init {
	do
	:: _ = 5
	:: c!1
	:: c!2 -> c?_
	:: c?_ -> break
	od
}
