/*
 * 2.11  A receiver whose provided clause is false cannot shake hands.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
chan c = [0] of { byte };
byte x;

active proctype Sender() {
	do
	:: c!1 -> break
	:: x == 0 -> x = 1
	od
}
active proctype Receiver() provided (x == 1) { c?1; x = 0 }
