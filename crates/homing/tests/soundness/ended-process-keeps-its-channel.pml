// expect: violated invalid-end-state length=1
// init has ended but stays, with its channel, until P is gone: P waits for ever, and so does init.
proctype P(chan a) { a?0 }
init { chan c = [1] of { byte }; run P(c) }
