/*
 * 2.15  A process of high priority that waits at its closing brace for a younger one to die holds
 * nobody up.
 *
 * SPIN 6.5.2: states 7, transitions 7, errors 0
 */
byte x;

active proctype High() priority 3 { x = 1 }
active proctype Low() { x == 1; x = 2; x = 3 }
