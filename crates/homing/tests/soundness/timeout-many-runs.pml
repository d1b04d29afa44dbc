// expect: unknown timeout
// options: --timeout 300ms
// 2^40 runs through one atomic sequence.
byte i; byte j;
init { atomic { do :: i < 40 -> if :: j = j * 2 :: j = j * 2 + 1 fi; i++ :: i == 40 -> break od }; assert(j < 256) }
