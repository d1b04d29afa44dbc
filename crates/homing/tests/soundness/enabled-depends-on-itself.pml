// expect: violated runtime-error
// Each process asks whether the other is enabled: there is no answer. SPIN's verifier runs out of stack.
active proctype P() { enabled(1) }
active proctype Q() { enabled(0) }
