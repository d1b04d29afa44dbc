/* Two processes that toggle a bit of their own for ever; A does so at an acceptance label. Without fairness one process alone makes
 * an acceptance cycle, under weak fairness both have to move in it, each twice.
 */
active proctype A() {
	bit mine;
accept:	do
	:: mine = 1 - mine
	od
}

active proctype B() {
	bit mine;
	do
	:: mine = 1 - mine
	od
}
