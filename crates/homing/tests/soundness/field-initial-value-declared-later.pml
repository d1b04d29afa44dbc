// expect: violated assertion length=3
typedef T { byte a = 5 };
init { skip; T y; assert(y.a == 0) }
