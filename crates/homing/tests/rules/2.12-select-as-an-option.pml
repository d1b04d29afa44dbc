/*
 * 2.12  The loop form of select may begin an option: its first step is the assignment.
 *
 * SPIN 6.5.2: states 14, transitions 15, errors 0
 */
byte v, n = 2;

init {
	do
	:: select(v : 0 .. n); break
	:: v == 0 -> v = 9
	od
}
