/*
 * 6.4  Initial values are cut to the type like assigned ones.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
byte b = 300;
short s = 40000;
bit t = 2;

init { assert(b == 44 && s == -25536 && t == 0) }
