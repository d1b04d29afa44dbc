// expect: unknown incomplete-search
int x;
init { d_step { do :: x < 6000000 -> x++ :: else -> break od }; assert(x == 0) }
