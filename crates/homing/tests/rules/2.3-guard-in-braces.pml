/*
 * 2.3  The guard of a d_step that begins with a block in braces is the first statement of the
 * block.
 *
 * SPIN 6.5.2: states 6, transitions 7, errors 0
 */
byte x;

active proctype P() { d_step { { x == 1; x = 2 }; x++ } }
active proctype Q() { x = 1 }
