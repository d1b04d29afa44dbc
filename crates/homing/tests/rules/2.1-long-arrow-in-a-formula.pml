/*
 * 2.1  `-->` is no operator of formulas.
 *
 * SPIN 6.5.2: refused "syntax error"
 */
byte x;

active proctype P() { x = 1 }

ltl { [] ((x == 0) --> <> (x == 1)) }
