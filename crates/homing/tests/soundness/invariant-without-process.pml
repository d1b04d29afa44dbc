// expect: violated invariant length=2
// options: --property invariant:_nr_pr>0
// The state in which no process is left counts as well.
active proctype P() { byte z = 1; skip }
