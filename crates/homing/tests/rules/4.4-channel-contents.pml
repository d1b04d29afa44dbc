/*
 * 4.4  Messages left in a channel do not make an end state invalid.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
chan c = [2] of { byte };

init { c!1; c!2 }
