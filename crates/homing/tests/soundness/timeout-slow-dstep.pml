// expect: unknown timeout
// options: --timeout 300ms
int i; byte n, m;
active proctype P() { do :: d_step { i = 0; do :: i < 200000 -> i++ :: else -> break od; i = 0; n++ } :: m++ od; assert(n + m < 1000) }
