// expect: violated invalid-end-state length=4
// After the rendezvous the sender does not execute its next statement at once: the receiver continues.
chan c = [0] of { byte }; chan d = [0] of { byte };
active proctype P() { c?_; d!1 }
active proctype Q() { byte l; c!1; l = 2 }
