/*
 * 2.15  A process moves only if no process of higher priority is executable.
 *
 * SPIN 6.5.2: states 10, transitions 10, errors 0
 */
byte x;

active proctype Low() priority 1 { x = 1; x = 2; assert(x == 2) }
active proctype High() priority 2 { x == 1; x = 3; x = 4; x = 1 }
