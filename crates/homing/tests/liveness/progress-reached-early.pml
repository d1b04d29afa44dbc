// Without its last local statement P is not at the progress label: it may stop there while Q cycles.
// expect progress: violated non-progress-cycle length=2
byte x;
active proctype P() { byte l; x = 1; l = 1; progress: false }
active proctype Q() { do :: x = 1 -> x = 0 od }
