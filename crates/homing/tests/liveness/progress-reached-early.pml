// Before its last local statement P is not at the progress label, and may stay there while Q cycles. That the claim needs one step to
// begin is no part of the run.
// expect progress: violated non-progress-cycle length=2
byte x;
active proctype P() { byte l; x = 1; l = 1; progress: false }
active proctype Q() { do :: x = 1 -> x = 0 od }
