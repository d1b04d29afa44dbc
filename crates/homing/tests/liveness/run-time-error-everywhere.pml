// expect p: violated runtime-error length=2
byte a[2], i;
active proctype P() { i = 2; a[i] = 1 }
ltl p { [] <> (i == 2) }
