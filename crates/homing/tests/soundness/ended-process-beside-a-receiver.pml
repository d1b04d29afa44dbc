// expect: violated invalid-end-state length=3
// init takes back its own message, so that P0 waits for ever: run, send, receive.
byte g;
proctype P0(chan a0) { byte v; a0?v }
init { byte v; chan c0 = [1] of { byte }; run P0(c0); c0!1; c0?_ }
