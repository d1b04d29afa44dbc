/*
 * 5.0  An ltl formula that is violated is not an error of the search for safety.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
byte x;

init { x = 1; x = 2; x = 3 }

ltl small { [] (x < 3) }
