// expect: violated assertion length=9
typedef I { byte z = 2; byte w[2] = 7 };
typedef T { I i; byte a = 5 };
byte n;
active [2] proctype P() {
  do
  :: n < 2 -> T y[2]; assert(y[1].a != 6 || y[1].i.w[1] != 8 || n < 1); y[1].a++; y[1].i.w[1]++; n++
  :: else -> break
  od
}
