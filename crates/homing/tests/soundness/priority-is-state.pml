// expect: holds states=17
// Priorities are part of the state; pan has 13 states (see ARCHITECTURE.md).
proctype P() { skip }
init { run P(); run P() priority 7; skip }
