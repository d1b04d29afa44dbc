/* The pid of the new process depends on whether the other has ended. */
active proctype f() { assert(_pid == 1) }
init { run f() }
