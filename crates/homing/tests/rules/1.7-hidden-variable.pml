/*
 * 1.7  A hidden variable is not part of the state. Both assignments to h lead back to the state
 * they come from; the second reads h in the same atomic run, where its value is certain.
 *
 * SPIN 6.5.2: states 6, transitions 9, errors 0
 */
hidden byte h;
byte x;

init {
	do
	:: h = 7
	:: atomic { h = 3; x = h }
	:: break
	od
}
