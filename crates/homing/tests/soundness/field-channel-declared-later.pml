// expect: holds
typedef T { chan a = [1] of { byte } };
byte n;
active [2] proctype P() { skip; T y; y.a!3; y.a?n; assert(n == 3 && len(y.a) == 0) }
