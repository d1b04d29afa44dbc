/*
 * 1.7  A hidden variable is not part of the state. The first option leads back to the state it
 * comes from; the second reads h inside one atomic run, where its value is certain.
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
