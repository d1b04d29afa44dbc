// expect: holds
// Control goes back and forth for ever between two processes inside atomic sequences: every run is cut, nothing comes after.
chan c = [0] of { byte };
chan d = [0] of { byte };
active proctype P() { atomic { do :: c!1; d?_ od } }
active proctype Q() { end: atomic { c?_; do :: d!1; c?_ od } }
