/*
 * 2.3  A statement of a d_step that blocks, other than the first, is an error and ends pan: block
 * in d_step seq.
 *
 * SPIN 6.5.2: verdict violated, first "block in d_step seq" after 1
 */
byte x;

init { d_step { x = 1; x == 2 } }
