// expect progress: violated non-progress-cycle length=3
// The assignment before the label is not absorbed into the receive: B can run for ever before A comes to the label.
byte n;
chan c = [0] of { byte };
active proctype A() {
	byte v, w;
	c?v;
	w = v;
progress:
	c?w;
	assert(w != v)
}
active proctype B() {
	c!1;
	do :: n = 0 od
}
