/*
 * 6.4  `hidden`, `show` and `local` change nothing about the initial values of fields.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
typedef T { byte a = 5; show byte b = 3 };
hidden T x;
show T y;
local T z;

active proctype P() {
	assert(x.a == 5 && y.a == 5 && z.a == 5);
	local T w;
	assert(w.a == 5);
	show T v;
	assert(v.b == 3)
}
