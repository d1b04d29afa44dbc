/*
 * 2.15  run gives the new process the priority that is written behind it, else 1.
 *
 * SPIN 6.5.2: states 22, transitions 24, errors 1, first "assertion violated" after 12, shortest 12
 */
byte x;

proctype P(byte n) { x = n; assert(x == n) }

init {
	atomic {
		run P(1) priority 3;
		run P(2) priority 2;
		run P(3)
	};
	x = 9
}
