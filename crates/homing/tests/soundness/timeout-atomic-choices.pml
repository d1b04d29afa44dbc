// expect: unknown timeout
// options: --timeout 300ms
int x; init { atomic { do :: x++ :: break od }; assert(x >= 0) }
