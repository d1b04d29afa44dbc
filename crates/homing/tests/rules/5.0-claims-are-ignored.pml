/*
 * 5.0  Safety is checked without the claims of the model: neither the never claim nor an ltl
 * formula adds a state.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
byte x;

init { x = 1; x = 2; x = 3 }

never {
	do
	:: x == 1 -> break
	:: else
	od
}
