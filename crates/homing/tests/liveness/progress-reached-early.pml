// Before its last local statement P is not at the progress label, and may stay there while Q cycles. The claim needs one step to begin.
// expect progress: violated non-progress-cycle length=3
byte x;
active proctype P() { byte l; x = 1; l = 1; progress: false }
active proctype Q() { do :: x = 1 -> x = 0 od }
