// expect: holds
// options: --property invariant:enabled(0)||g==1
// No process asks: enabled(0) is not a question of process 0 about itself.
byte g;
active proctype P() { g = 1; end: false }
active proctype Q() { end: false }
