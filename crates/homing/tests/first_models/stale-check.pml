/* A resource that is tested, and then used although another process has taken it away. */
bool present = true;

active proctype User() {
end:	present; /* planted: the test and the use are not one step */
	assert(present)
}

active proctype Owner() {
	present = false
}
