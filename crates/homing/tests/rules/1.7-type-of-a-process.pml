/*
 * 1.7  The type of a process is part of the state, even if two types are alike. A and B are never
 * joined: each gives states of its own.
 *
 * SPIN 6.5.2: states 7, transitions 8, errors 0
 */
proctype A() { skip }
proctype B() { skip }

init {
	if
	:: run A()
	:: run B()
	fi
}
