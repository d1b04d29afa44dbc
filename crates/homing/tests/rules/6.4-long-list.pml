/*
 * 6.4  What is too much in a list is ignored.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
byte a[2] = { 1, 2, 3, 4 };

init { assert(a[0] == 1 && a[1] == 2) }
