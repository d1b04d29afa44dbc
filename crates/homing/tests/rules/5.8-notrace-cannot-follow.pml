/*
 * 5.8  A notrace automaton that cannot follow is no error.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 0
 */
chan c = [2] of { byte };

active proctype P() { c!1; c!2 }

notrace { c!1; c!1 }
