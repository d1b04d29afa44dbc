/*
 * 2.7  At most 255 channels exist at a time: creating more is an error and ends pan.
 *
 * SPIN 6.5.2: verdict violated, first "too many queues" after 2
 */
proctype P() {
	chan own[130] = [0] of { byte };
	end: false
}

init {
	run P();
	run P()
}
