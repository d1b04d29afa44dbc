/*
 * 5.8  A trace automaton at its end cannot follow another event.
 *
 * SPIN 6.5.2: states 4, transitions 4, errors 1, first "event_trace error" after 2, shortest 2
 */
chan c = [2] of { byte };

active proctype P() { c!1; c!2 }

trace { c!1 }
