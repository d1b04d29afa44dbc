/*
 * 6.4  Globals are initialised type by type: unsigned, bit, byte, chan, mtype, short, int,
 * typedef; within a type in order of declaration. Whoever refers to a later one sees 0.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 0
 */
int i = 5;
byte b = i + 1;
byte d = b + 1;
short s = b + i;
int j = s + i;

init { assert(i == 5 && b == 1 && d == 2 && s == 1 && j == 6) }
