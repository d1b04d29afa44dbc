/*
 * 2.15  timeout does not make a process of high priority executable before the others have
 * stopped.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
byte x;

active proctype Low() { x = 1; x = 2 }
active proctype High() priority 2 { timeout; assert(x == 2) }
