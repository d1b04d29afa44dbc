// expect: unknown incomplete-search
int x; init { d_step { do :: x++ od } }
