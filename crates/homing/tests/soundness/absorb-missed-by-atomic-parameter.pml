// expect: violated assertion length=6
// The same with the channel as a parameter.
chan c = [0] of { byte }; byte x, go;
proctype R(chan k) { byte l; go = 1; l = 1; atomic { k?_; x = 0 } }
proctype P(chan k) { go == 1; atomic { x = 1; k!1 } }
init { atomic { run R(c); run P(c) }; assert(x == 0) }
