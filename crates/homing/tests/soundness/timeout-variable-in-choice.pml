// expect: violated assertion length=4
// timeout holds for the first statement of the atomic sequence only, whichever way is chosen after it.
byte y;
active proctype P() { atomic { timeout; if :: y = 1 :: y = timeout fi }; assert(y == 1) }
