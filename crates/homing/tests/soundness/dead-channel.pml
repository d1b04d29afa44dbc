// expect: violated runtime-error length=8
// Q uses a channel whose process has ended. pan reads what is left of it in its memory (see ARCHITECTURE.md).
chan m = [1] of { chan };
proctype A() { chan c = [1] of { byte }; byte l; m!c; l = 1 }
proctype B() { chan c = [2] of { byte }; byte l; c!7; l = 1; c?l; assert(l == 7) }
active proctype Q() { chan k; byte l; m?k; l = 1; if :: (_nr_pr < 4) -> k?l :: (_nr_pr > 7) fi }
init { run A(); run B() }
