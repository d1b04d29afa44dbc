// expect: unknown incomplete-search
// The run through the atomic sequence ends after more statements than are followed: what comes after it is not seen.
int x;
init { atomic { do :: x < 600000 -> x++ :: else -> break od }; assert(x == 0) }
