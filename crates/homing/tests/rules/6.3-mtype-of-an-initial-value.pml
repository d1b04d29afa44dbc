/*
 * 6.3  The initial value of a field must be of its mtype.
 *
 * SPIN 6.5.2: refused "'k' is type 'f' but assigned type '_unnamed_'"
 */
mtype = { A, B };
mtype : f = { C, D };
typedef T { mtype : f k = B };
T t;

init { assert(t.k == B) }
