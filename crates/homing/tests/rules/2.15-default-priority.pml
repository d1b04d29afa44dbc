/*
 * 2.15  The default priority is 1, also in a model where another process has one.
 *
 * SPIN 6.5.2: states 26, transitions 30, errors 0
 */
byte x;

active proctype A() { x = 1; x = 2 }
active proctype B() priority 1 { x = 3; x = 4 }
active proctype C() priority 5 { x == 2; x = 7 }
