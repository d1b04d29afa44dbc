/*
 * 5.8  A trace automaton that cannot follow is an error.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 1, first "event_trace error" after 2, shortest 2
 */
chan c = [3] of { byte };

active proctype P() { c!1; c!2; c!1 }

trace { c!1; c!1; c!1 }
