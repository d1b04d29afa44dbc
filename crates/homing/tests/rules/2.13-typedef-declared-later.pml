/*
 * 2.13  The declaration of a typedef variable behind a statement is a step that resets nothing.
 *
 * SPIN 6.5.2: states 13, transitions 13, errors 0
 */
typedef T { byte a; byte b };
byte x;

init {
	do
	:: x < 2 ->
		T t;
		assert(t.a == x);
		t.a = 1;
		x++
	:: x == 2 -> break
	od
}
