/*
 * 2.15  A priority of 0 behind run is accepted and means the default.
 *
 * SPIN 6.5.2: states 14, transitions 16, errors 0
 */
byte x;

proctype P() { x = 1; assert(_priority == 1) }

init { run P() priority 0; x = 2 }
