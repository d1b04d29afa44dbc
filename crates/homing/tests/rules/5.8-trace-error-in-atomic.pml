/*
 * 5.8  A trace that cannot follow a step inside an atomic sequence fails at that step.
 *
 * SPIN 6.5.2: states 3, transitions 3, errors 1, first "event_trace error" after 3, shortest 3
 */
chan c = [3] of { byte };
byte x;

active proctype P() { atomic { x = 1; c!1; c!2; x = 2 } }

trace { c!1; c!1 }
