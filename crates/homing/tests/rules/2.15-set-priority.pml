/*
 * 2.15  set_priority and _priority change and read the priority at run time; get_priority reads
 * that of another process.
 *
 * SPIN 6.5.2: states 13, transitions 13, errors 0
 */
byte x;

active proctype A() priority 2 {
	x = 1;
	set_priority(_pid, 4);
	assert(_priority == 4);
	x = 2;
	_priority = 1;
	x = 3
}
active proctype B() priority 3 {
	x == 1;
	assert(get_priority(0) == 2);
	x == 3;
	x = 4
}
